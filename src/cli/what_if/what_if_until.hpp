// `muster what-if --until`: two simulations over time and the differences between them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "answers/what_if.hpp"
#include "report/run_report.hpp"

namespace muster::cli {

struct TimedDifference {
  std::vector<report::ComparedRun> runs;  // before, after
  std::vector<answers::StartMove> starts;
};

TimedDifference difference_of(RunOutcome before, RunOutcome after);
Text timed_text(const TimedDifference& difference, const TextStyle& style);
// Returns {"from", "to", "differences": [{"metric", "before", "after"}], "startsMoved": [{"job", "before",
// "after"}]}
nlohmann::ordered_json timed_json(const TimedDifference& difference);

}  // namespace muster::cli
