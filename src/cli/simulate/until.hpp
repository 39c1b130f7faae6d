// `muster simulate --until`: simulates a cluster over time, with one or several configurations.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "loader/inputs.hpp"
#include "sim/clock.hpp"
#include "sim/run_outcome.hpp"
#include "terminal/text_style.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace muster::cli {

struct UntilOptions {
  std::string until;  // "": not simulated over time
  std::uint64_t seed = 0;
  std::string period = "1s", start_delay = "0s", eviction_delay = "0s";
  std::string node_mtbf, node_mttr = "1h";
  std::string series;                // "": about 500 points
  std::vector<std::string> compare;  // files of configurations
  std::string record, replay;
  std::string report;  // file of the page; "": none

  bool is_on() const { return !until.empty(); }
};

void add_until_options(CLI::App& command, UntilOptions& options);
// Checks the combination of options. Returns "" or a message about a problem.
std::string check_options(const CLI::App& command);

// Adds only --until itself.
void add_until_option(CLI::App& command, UntilOptions& options);
// Simulates `inputs` over time without progress or output. If the options do not fit the inputs, prints a
// message, sets `exit_code` and returns nullopt.
std::optional<RunOutcome> simulate_inputs(loader::Inputs& inputs, const UntilOptions& options, int& exit_code,
                                          const ClockWatchers& watchers = {});
// The end of a run that starts at `from`; nullopt: the run ends when no event is left.
std::optional<TimePoint> end_of_run(const UntilOptions& options, TimePoint from);

// Returns the exit code.
int run_until(const loader::InputOptions& inputs, const UntilOptions& options, const TextStyle& style,
              bool is_json);
// Prints a record and returns the exit code.
int run_replay(const UntilOptions& options, const TextStyle& style, bool is_json);

}  // namespace muster::cli
