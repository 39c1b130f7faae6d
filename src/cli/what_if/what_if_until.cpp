// Compares the figures and start times of two runs.
#include "cli/what_if/what_if_until.hpp"

#include <map>
#include <nlohmann/json.hpp>

#include "answers/json.hpp"
#include "cli/what_if/what_if_text.hpp"

namespace muster::cli {
namespace {

using nlohmann::ordered_json;

ordered_json or_null(const std::optional<double>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

}  // namespace

TimedDifference difference_of(RunOutcome before, RunOutcome after) {
  TimedDifference d;
  std::map<std::string, std::optional<TimePoint>> was;
  for (const JobOutcome& job : before.jobs) was[job.name] = job.first_start;
  for (const JobOutcome& job : after.jobs)
    if (const auto old = was.find(job.name); old != was.end() && old->second != job.first_start)
      d.starts.push_back({job.name, old->second, job.first_start});
  d.runs.push_back({"before", std::move(before)});
  d.runs.push_back({"after", std::move(after)});
  return d;
}

Text timed_text(const TimedDifference& d, const TextStyle& style) {
  return starts_text("Start at a different time", d.starts, style) + "\n" +
         report::comparison_text(d.runs, style);
}

ordered_json timed_json(const TimedDifference& d) {
  ordered_json differences = ordered_json::array();
  for (const report::Difference& one : report::differences_between(d.runs))
    if (one.values.front() != one.values.back())
      differences.push_back({{"metric", one.metric},
                             {"before", or_null(one.values.front())},
                             {"after", or_null(one.values.back())}});
  return {{"from", format_time(d.runs.back().outcome.from)},
          {"to", format_time(d.runs.back().outcome.to)},
          {"differences", std::move(differences)},
          {"startsMoved", answers::starts_json(d.starts)}};
}

}  // namespace muster::cli
