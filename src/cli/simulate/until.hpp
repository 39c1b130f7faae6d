// `muster simulate --until`: a cluster of files played through time, once or under several configurations.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/input/inputs.hpp"
#include "cli/report/text_style.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace muster::cli {

struct UntilOptions {
  std::string until;  // "": time does not pass
  std::uint64_t seed = 0;
  std::string period = "1s", start_delay = "0s", eviction_delay = "0s";
  std::string node_mtbf, node_mttr = "1h";
  std::string series;                // "": about 500 points
  std::vector<std::string> compare;  // configurations
  std::string record, replay;
  std::string report;  // the page; "": none

  bool is_on() const { return !until.empty(); }
};

void add_until_options(CLI::App& command, UntilOptions& options);
// What is wrong with the options that were given together, or "".
std::string misplaced_option(const CLI::App& command);

// The exit code.
int run_until(const InputOptions& inputs, const UntilOptions& options, const TextStyle& style, bool is_json);
// Prints what a record holds.
int run_replay(const UntilOptions& options, const TextStyle& style, bool is_json);

}  // namespace muster::cli
