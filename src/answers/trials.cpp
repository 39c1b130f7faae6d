// Applies each change to a fresh copy, runs it until it is settled, and compares it with the unchanged
// outcome.
#include "answers/trials.hpp"

#include <algorithm>

namespace muster::answers {

Trials::Trials(const State& state, const Outcome& unchanged, JobId job, const HelpLimits& limits)
    : state_(state), unchanged_(unchanged), job_(job), limits_(limits), start_(limits.stopwatch.elapsed()) {}

std::optional<Help> Trials::try_out(Change change) {
  if (is_time_up()) return std::nullopt;
  scratch_ = state_.cluster;
  TimePoint now = state_.now;
  if (!apply(change, scratch_, now)) return std::nullopt;
  const FixedPoint settled = run_until_stable(scratch_, state_.policy, now);
  if (!is_at_minimum(scratch_, job_)) return std::nullopt;
  Help help{.change = std::move(change), .evicts = evicted_by(settled), .delays = {}};
  help.delays = delayed();
  std::erase_if(help.delays, [&](JobId j) { return std::ranges::find(help.evicts, j) != help.evicts.end(); });
  return help;
}

namespace {

void sort_by_name(const Cluster& cluster, std::vector<JobId>& jobs) {
  std::ranges::sort(jobs, {}, [&](JobId j) { return cluster.job(j).full_name(); });
}

}  // namespace

std::vector<JobId> Trials::evicted_by(const FixedPoint& settled) const {
  std::vector<JobId> jobs;
  for (JobId j : settled.evicted)
    if (j != job_ && !unchanged_.settled.evicted.contains(j)) jobs.push_back(j);
  sort_by_name(state_.cluster, jobs);
  return jobs;
}

std::vector<JobId> Trials::delayed() const {
  std::vector<JobId> jobs;
  for (JobId j : ids(unchanged_.cluster.jobs()))
    if (j != job_ && is_at_minimum(unchanged_.cluster, j) && !is_at_minimum(scratch_, j)) jobs.push_back(j);
  sort_by_name(state_.cluster, jobs);
  return jobs;
}

}  // namespace muster::answers
