// The first line of a record: which run it is of, so that it can be played again.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/simulate/until.hpp"

namespace muster::cli {

inline constexpr std::string_view kRunKind = "run";  // of that line

struct RecordedRun {
  InputOptions inputs;
  UntilOptions until;
};

// A run that begins at `from`.
std::string run_line(const RecordedRun& run, TimePoint from);
// Nothing: the line is no such thing.
std::optional<RecordedRun> read_run_line(std::string_view line);

}  // namespace muster::cli
