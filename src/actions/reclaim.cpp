// One waiting job after the other that may reclaim, with victims of other queues that hold more than theirs.
#include "actions/reclaim.hpp"

#include <algorithm>

#include "engine/search/making_room.hpp"

namespace muster::actions {
namespace {

// Jobs of other leaf queues from which the contender may take.
Candidates reclaim_candidates(Session& s, Solver& solver, JobId contender) {
  Candidates found{.bounded = Bounded::kByShares};
  s.stats.steps += std::ssize(solver.pool().leaves());
  for (QueueId leaf : solver.pool().leaves()) {
    if (leaf == s.cluster.job(contender).queue || solver.pool().all_of(leaf).empty()) continue;
    if (const auto why = s.hooks.reclaim_from_queue(contender, leaf))
      found.spared.push_back({leaf, *why});
    else
      found.leaves.push_back(leaf);
  }
  found.spares = [&s, contender](JobId victim) {
    auto why = taken_before(s, victim, contender);
    return why ? why : s.hooks.reclaim_victim(contender, victim);
  };
  return found;
}

Purpose reclaim_purpose(Session& s, Solver& solver, JobId contender) {
  return {.contender = contender,
          .candidates = reclaim_candidates(s, solver, contender),
          .valid = [&s](const Scenario& scenario) { return s.hooks.reclaim_scenario(scenario); },
          .ground = [&s, contender](JobId victim) -> std::string_view {
            return s.hooks.reclaim_ground ? s.hooks.reclaim_ground(contender, s.cluster.job(victim).queue)
                                          : "";
          }};
}

// Nobody who waits may reclaim: without evictions that stays so.
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
    JobOrder waiting = contenders(s, kName);
    if (waiting.empty()) return;
    RoomMaker maker(s, kName);
    FailedJobs failed(s, LikeVictims::kNo);
    while (!waiting.empty()) {
      const JobId contender = waiting.pop();
      const QueueId queue = s.cluster.job(contender).queue;
      if (!s.hooks.may_reclaim(contender)) continue;
      if (maker.report_if_covered(failed, queue, contender) || maker.report_if_hopeless(contender) ||
          maker.report_if_put_off(contender))
        continue;
      s.hooks.search_begins(contender);
      const Outcome outcome = maker.make_room(reclaim_purpose(s, maker.solver(), contender));
      if (outcome == Outcome::kOutOfTime) return;
      if (outcome != Outcome::kSolved) failed.add(queue, contender);
    }
  }
};

}  // namespace

std::unique_ptr<Action> make_reclaim() { return std::make_unique<Reclaim>(); }

}  // namespace muster::actions
