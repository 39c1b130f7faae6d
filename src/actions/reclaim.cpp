// For each pending job that may reclaim, in turn, evicts victims of other queues that use more than their
// share.
#include "actions/reclaim.hpp"

#include <algorithm>

#include "engine/search/eviction_planner.hpp"

namespace muster::actions {
namespace {

// Jobs of other leaf queues from which the preemptor may take.
Candidates reclaim_candidates(Session& s, Solver& solver, JobId preemptor) {
  Candidates found{.bounded = Bounded::kByShares};
  s.stats.steps += std::ssize(solver.pool().leaves());
  for (QueueId leaf : solver.pool().leaves()) {
    if (leaf == s.cluster.job(preemptor).queue || solver.pool().all_of(leaf).empty()) continue;
    if (const auto why = s.hooks.reclaim_from_queue(preemptor, leaf))
      found.spared.push_back({leaf, *why});
    else
      found.leaves.push_back(leaf);
  }
  found.eviction_refusal = [&s, preemptor](JobId victim) { return reclaim_refusal(s, victim, preemptor); };
  return found;
}

Purpose reclaim_purpose(Session& s, Solver& solver, JobId preemptor) {
  return {.preemptor = preemptor,
          .candidates = reclaim_candidates(s, solver, preemptor),
          .refusal = [&s](const Scenario& scenario) { return s.hooks.reclaim_scenario(scenario); },
          .ground = [&s, preemptor](JobId victim) -> std::string_view {
            return s.hooks.reclaim_ground ? s.hooks.reclaim_ground(preemptor, s.cluster.job(victim).queue)
                                          : "";
          },
          .solution_refusal = [&s](const Scenario& scenario) { return s.hooks.entitled_scenario(scenario); }};
}

// True if no pending job may reclaim. This cannot change without evictions.
bool is_over(Session& s) {
  return std::ranges::all_of(s.waiting_by_age(), [&](JobId j) {
    const Job& job = s.cluster.job(j);
    return !job.preemption_delay && (!job.is_in_named_queue || !s.hooks.may_reclaim(j));
  });
}

class Reclaim final : public Action {
 public:
  static constexpr const char* kName = "reclaim";

  std::string name() const override { return kName; }
  void open(Session& s) override { s.take_signatures(); }

  void run(Session& s) override {
    if (!s.hooks.may_reclaim || is_over(s)) return;
    JobOrder waiting = preemptors(s, kName);
    if (waiting.empty()) return;
    EvictionPlanner maker(s, kName);
    FailedJobs failed(s, LikeVictims::kNo);
    while (!waiting.empty()) {
      const JobId preemptor = waiting.pop();
      const QueueId queue = s.cluster.job(preemptor).queue;
      if (!s.hooks.may_reclaim(preemptor)) continue;
      if (maker.report_if_covered(failed, queue, preemptor) || maker.report_if_hopeless(preemptor) ||
          maker.report_if_put_off(preemptor))
        continue;
      s.hooks.search_begins(preemptor);
      const Outcome outcome = maker.make_room(reclaim_purpose(s, maker.solver(), preemptor));
      if (outcome == Outcome::kOutOfTime) return;
      if (outcome != Outcome::kSolved) failed.add(queue, preemptor);
    }
  }
};

}  // namespace

std::unique_ptr<Action> make_reclaim() { return std::make_unique<Reclaim>(); }

}  // namespace muster::actions
