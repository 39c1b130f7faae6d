// `muster simulate --until`: a cluster of files played through time, once or under several configurations.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/input/inputs.hpp"
#include "cli/report/text_style.hpp"
#include "cli/simulate/clock.hpp"
#include "sim/run_outcome.hpp"

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

// --until itself.
void add_until_option(CLI::App& command, UntilOptions& options);
// Plays what was read over time, without a word. Nothing, with a message and `exit_code` set, where the
// options do not go with it.
std::optional<RunOutcome> play_inputs(Inputs& inputs, const UntilOptions& options, int& exit_code,
                                      const ClockWatchers& watchers = {});
// Of a run that begins then; nothing: when nothing is left to happen.
std::optional<TimePoint> end_of_run(const UntilOptions& options, TimePoint from);

// The exit code.
int run_until(const InputOptions& inputs, const UntilOptions& options, const TextStyle& style, bool is_json);
// Prints what a record holds.
int run_replay(const UntilOptions& options, const TextStyle& style, bool is_json);

}  // namespace muster::cli
