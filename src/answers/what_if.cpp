// Compares two outcomes by names, because the ids of different copies are unrelated.
#include "answers/what_if.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "engine/order/waiting_jobs.hpp"
#include "model/reason_codes.hpp"

namespace muster::answers {
namespace {

using Names = std::set<std::string>;

Names jobs_at_minimum(const Cluster& cluster) {
  Names names;
  for (JobId j : ids(cluster.jobs()))
    if (is_at_minimum(cluster, j)) names.insert(cluster.job(j).full_name());
  return names;
}

Names present_names(const Cluster& cluster) {
  Names names;
  for (const Job& job : cluster.jobs())
    if (job.present) names.insert(job.full_name());
  return names;
}

Names evicted_jobs(const Outcome& outcome) {
  Names names;
  for (JobId j : outcome.settled.evicted) names.insert(outcome.cluster.job(j).full_name());
  return names;
}

// Running pods by name, with job and node.
struct Place {
  std::string job, node;
};
std::map<std::string, Place> places(const Cluster& cluster) {
  std::map<std::string, Place> found;
  for (TaskId t : ids(cluster.tasks())) {
    const Task& task = cluster.task(t);
    const Placement& at = cluster.placement(t);
    if (task.alive && task.job.valid() && at.node.valid() && in(at.status, kAllocatedSet))
      found[task.full_name()] = {cluster.job(task.job).full_name(), cluster.node(at.node).name};
  }
  return found;
}

std::vector<std::string> moved_jobs(const Cluster& before, const Cluster& after) {
  const auto was = places(before), is = places(after);
  Names jobs;
  for (const auto& [pod, place] : is)
    if (const auto old = was.find(pod); old != was.end() && old->second.node != place.node)
      jobs.insert(place.job);
  return {jobs.begin(), jobs.end()};
}

std::vector<std::string> without(const Names& names, const Names& those) {
  std::vector<std::string> rest;
  std::ranges::set_difference(names, those, std::back_inserter(rest));
  return rest;
}

std::map<std::string, std::vector<std::string>> codes_by_job(const Outcome& outcome) {
  std::map<std::string, std::vector<std::string>> codes;
  for (const WaitingJob& w : outcome.settled.last.waiting) {
    auto& list = codes[outcome.cluster.job(w.job).full_name()];
    for (const JobReason& r : w.reasons) list.emplace_back(code_of(r.rule));
  }
  return codes;
}

std::vector<ReasonChange> reason_changes(const Outcome& before, const Outcome& after) {
  const auto was = codes_by_job(before), is = codes_by_job(after);
  std::vector<ReasonChange> changes;
  for (const auto& [job, codes] : is)
    if (const auto old = was.find(job); old != was.end() && old->second != codes)
      changes.push_back({job, old->second, codes});
  return changes;
}

}  // namespace

Differences compare(const Outcome& before, const Outcome& after, std::vector<std::string> drained) {
  const Names placed_before = jobs_at_minimum(before.cluster), placed_after = jobs_at_minimum(after.cluster);
  const Names evicted_before = evicted_jobs(before), evicted_after = evicted_jobs(after);
  Differences d;
  d.placed = without(placed_after, placed_before);
  d.evicted = without(evicted_after, evicted_before);
  d.moved = moved_jobs(before.cluster, after.cluster);
  d.drained = std::move(drained);
  std::ranges::sort(d.drained);
  d.drained.erase(std::unique(d.drained.begin(), d.drained.end()), d.drained.end());
  d.lost = without(placed_before, placed_after);
  const Names still_there = present_names(after.cluster);
  std::erase_if(d.lost, [&](const std::string& job) {
    return !still_there.contains(job) || std::ranges::binary_search(d.evicted, job) ||
           std::ranges::binary_search(d.drained, job);
  });
  for (const WaitingJob& w : after.settled.last.waiting)
    d.still_waiting.push_back({after.cluster.job(w.job).full_name(), &w});
  d.reasons = reason_changes(before, after);
  return d;
}

std::vector<StartMove> moved_starts(const Played& before, const Played& after, const FutureLimits& limits) {
  const StartForecast was(before.state, before.outcome, {}, limits),
      is(after.state, after.outcome, {}, limits);
  std::set<JobId> waited;
  for (const WaitingJob& w : before.outcome.settled.last.waiting)
    if (!is_at_minimum(before.outcome.cluster, w.job)) waited.insert(w.job);
  std::vector<StartMove> moves;
  for (const WaitingJob& w : after.outcome.settled.last.waiting) {
    const Job& job = after.outcome.cluster.job(w.job);
    const JobId old = before.outcome.cluster.find_job(job.ns, job.name);
    if (!waited.contains(old) || is_at_minimum(after.outcome.cluster, w.job)) continue;
    const auto from = was.of(old).p50, to = is.of(w.job).p50;
    if (from != to) moves.push_back({job.full_name(), from, to});
  }
  std::ranges::sort(moves, {}, &StartMove::job);
  return moves;
}

}  // namespace muster::answers
