// The first line of a record. It describes the run, so that it can be replayed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/simulate/until.hpp"

namespace muster::cli {

inline constexpr std::string_view kRunKind = "run";  // the kind of that line

struct RecordedRun {
  loader::InputOptions inputs;
  UntilOptions until;
};

// Describes a run that starts at `from`.
std::string run_line(const RecordedRun& run, TimePoint from);
// Returns nullopt if the line does not describe a run.
std::optional<RecordedRun> read_run_line(std::string_view line);

}  // namespace muster::cli
