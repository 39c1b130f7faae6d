// Runs cycles on a copy until one changes nothing.
#include "answers/state.hpp"

#include <algorithm>
#include <utility>

#include "engine/cycle/run_cycle.hpp"
#include "engine/cycle/selector_results.hpp"
#include "engine/order/waiting_jobs.hpp"
#include "engine/search/search_memory.hpp"
#include "model/holders.hpp"
#include "sim/embedded_cluster.hpp"

namespace muster::answers {
namespace {

// A search that a limit ended early continues in the next cycle, and may find something.
bool is_cut_short(const WaitingJob& waiting) {
  return std::ranges::any_of(waiting.searches,
                             [](const SearchReport& r) { return r.end == SearchEnd::kCutShort; });
}

bool changes_nothing(const Decisions& decided) {
  return decided.binds.empty() && decided.evictions.empty() &&
         std::ranges::none_of(decided.waiting, is_cut_short);
}

}  // namespace

// Also compares the recorded state of the jobs. If a cycle gives a place and takes it back, only this state
// changes, and it affects the next cycle.
FixedPoint run_until_stable(Cluster& cluster, const Policy& policy, TimePoint now) {
  EmbeddedCluster embedded;
  SearchMemory memory;
  SelectorResults selector_results;
  const SteadyStopwatch stopwatch;
  FixedPoint settled;
  cluster.refresh(now);
  while (!settled.is_reached && settled.cycles < kMostCycles) {
    ++settled.cycles;
    const auto before = std::pair(cluster.placements_hash(), cluster.revision());
    settled.last = run_cycle(cluster, policy, now, {&memory, &stopwatch, &selector_results});
    for (const EvictDecision& e : settled.last.evictions)
      if (const JobId group = cluster.task(e.task).group; group.valid()) settled.evicted.insert(group);
    embedded.carry_out(cluster, settled.last, now);
    embedded.update(cluster, now);
    settled.is_reached = changes_nothing(settled.last) && !selector_results.are_unfinished() &&
                         std::pair(cluster.placements_hash(), cluster.revision()) == before;
  }
  return settled;
}

bool is_waiting(const Job& job) { return job.has_pending() || job.counts.of(TaskStatus::kGated) > 0; }

WaitingJob reasons_of(const Cluster& cluster, JobId job, const WaitingJob* reported) {
  if (reported != nullptr) return *reported;
  WaitingJob words{.job = job, .reasons = {}, .searches = {}};
  if (auto standing = why_not_considered(cluster, job)) words.reasons.push_back(*std::move(standing));
  return words;
}

namespace {

// All pending jobs, sorted by name.
std::vector<WaitingJob> all_waiting(const Cluster& cluster, const std::vector<WaitingJob>& reported) {
  std::map<JobId, const WaitingJob*> by_job;
  for (const WaitingJob& w : reported) by_job[w.job] = &w;
  std::map<std::string, JobId> by_name;
  for (JobId j : ids(cluster.jobs()))
    if (cluster.job(j).present && is_waiting(cluster.job(j))) by_name[cluster.job(j).full_name()] = j;
  std::vector<WaitingJob> all;
  for (const auto& [name, j] : by_name) {
    const auto found = by_job.find(j);
    all.push_back(reasons_of(cluster, j, found == by_job.end() ? nullptr : found->second));
  }
  return all;
}

}  // namespace

Outcome outcome_of(const State& state) {
  Outcome outcome{.cluster = state.cluster, .settled = {}};
  outcome.settled = run_until_stable(outcome.cluster, state.policy, state.now);
  outcome.settled.last.waiting = all_waiting(outcome.cluster, outcome.settled.last.waiting);
  name_holders(outcome.cluster, outcome.settled.last.waiting);
  return outcome;
}

bool is_at_minimum(const Cluster& cluster, JobId id) {
  const Job& job = cluster.job(id);
  return job.present && job.counts.in(kAllocatedSet) > 0 && is_satisfied(job, kRoot);
}

}  // namespace muster::answers
