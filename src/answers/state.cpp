#include "answers/state.hpp"

#include <algorithm>
#include <utility>

#include "engine/cycle/run_cycle.hpp"
#include "engine/search/search_memory.hpp"
#include "model/holders.hpp"
#include "sim/embedded_cluster.hpp"

namespace muster::answers {
namespace {

// A search that a limit cut short goes on in the next cycle, and may find something.
bool is_cut_short(const WaitingJob& waiting) {
  return std::ranges::any_of(waiting.searches,
                             [](const SearchReport& r) { return r.end == SearchEnd::kCutShort; });
}

bool changes_nothing(const Decisions& decided) {
  return decided.binds.empty() && decided.evictions.empty() &&
         std::ranges::none_of(decided.waiting, is_cut_short);
}

}  // namespace

// What is noted about jobs counts, too: a place that was given and taken back in one cycle leaves nothing
// else behind, and changes the next.
Rest settle(Cluster& cluster, const Policy& policy, TimePoint now) {
  EmbeddedCluster embedded;
  SearchMemory memory;
  const SteadyStopwatch stopwatch;
  Rest rest;
  cluster.refresh(now);
  while (!rest.is_reached && rest.cycles < kMostCycles) {
    ++rest.cycles;
    const auto before = std::pair(cluster.placements_hash(), cluster.revision());
    rest.last = run_cycle(cluster, policy, now, {&memory, &stopwatch});
    for (const EvictDecision& e : rest.last.evictions) rest.evicted.insert(cluster.task(e.task).job);
    embedded.carry_out(cluster, rest.last, now);
    embedded.update(cluster, now);
    rest.is_reached =
        changes_nothing(rest.last) && std::pair(cluster.placements_hash(), cluster.revision()) == before;
  }
  return rest;
}

Outcome outcome_of(const State& state) {
  Outcome outcome{.cluster = state.cluster, .rest = {}};
  outcome.rest = settle(outcome.cluster, state.policy, state.now);
  name_holders(outcome.cluster, outcome.rest.last.waiting);
  return outcome;
}

bool is_at_minimum(const Cluster& cluster, JobId id) {
  const Job& job = cluster.job(id);
  return job.present && job.counts.in(kAllocatedSet) > 0 && is_satisfied(job, kRoot);
}

}  // namespace muster::answers
