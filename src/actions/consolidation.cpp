// One waiting job after the other that all free GPUs together would hold, with victims that get another
// place.
#include "actions/consolidation.hpp"

#include <algorithm>

#include "engine/search/making_room.hpp"

namespace muster::actions {
namespace {

Candidates consolidation_candidates(Session& s, Solver& solver, JobId contender) {
  const int most = s.settings.max_consolidation_victims;
  const bool exact = s.settings.compatibility.exact_consolidation_limit;
  return {.leaves = {solver.pool().leaves().begin(), solver.pool().leaves().end()},
          .spares = [&s, contender](JobId victim) -> std::optional<VictimRefusal> {
            if (victim == contender) return VictimRefusal{.rule = kItself};
            if (!s.cluster.job(victim).is_in_named_queue)
              return VictimRefusal{.rule = "it could not start again"};
            if (auto why = taken_before(s, victim, contender)) return why;
            return s.hooks.consolidation_victim(contender, victim);
          },
          .at_most = most < 0 || exact ? most : most + 1,
          .get_other_places = true};
}

// Every task that was taken has a place again.
std::optional<VictimRefusal> nobody_is_lost(const Session& s, const Scenario& scenario) {
  for (const Scenario::Victim& victim : scenario.victims)
    for (TaskId t : victim.tasks)
      if (s.cluster.placement(t).status == TaskStatus::kReleasing)
        return VictimRefusal{.rule = "a pod would be lost"};
  return std::nullopt;
}

bool has_room_in_all(Session& s, Solver& solver, JobId contender) {
  const Chunk& chunk = s.chunk(contender);
  return chunk.wanted.charge.units[index(Accounted::kGpus)] <= solver.room().usable_total();
}

Purpose consolidation_purpose(Session& s, Solver& solver, JobId contender) {
  return {.contender = contender,
          .candidates = consolidation_candidates(s, solver, contender),
          .valid = [&s](const Scenario& scenario) { return nobody_is_lost(s, scenario); },
          .ground = [](JobId) { return "has another place in view"; }};
}

// Nobody is lost and shares play no part, so that jobs of all queues are alike; but for a limit, which is one
// queue's own. KAI does not look at that.
QueueId pool_of(const Session& s, JobId contender) {
  const QueueId all_queues, own = s.cluster.job(contender).queue;
  if (!s.settings.compatibility.compare_failed_fully) return all_queues;
  for (QueueId q = own; q.valid(); q = s.cluster.queue(q).parent)
    for (Accounted r : kAccounted)
      if (s.cluster.queue(q).of(r).limit >= 0) return own;
  return all_queues;
}

class Consolidation final : public Action {
 public:
  static constexpr const char* kName = "consolidation";

  std::string name() const override { return kName; }
  void open(Session& s) override { s.take_signatures(); }

  void run(Session& s) override {
    if (s.settings.max_consolidation_victims == 0) return;
    JobOrder waiting = preemptible_contenders(s, kName);
    if (waiting.empty()) return;
    RoomMaker maker(s, kName);
    FailedJobs failed(s, LikeVictims::kYes);
    while (!waiting.empty()) {
      const JobId contender = waiting.pop();
      if (s.passes_over_in_vain(contender) && !has_room_in_all(s, maker.solver(), contender)) {
        maker.report_if_hopeless(contender);
        continue;
      }
      const QueueId pool = pool_of(s, contender);
      if (maker.report_if_covered(failed, pool, contender) || maker.report_if_hopeless(contender) ||
          maker.report_if_put_off(contender))
        continue;
      const Outcome outcome = has_room_in_all(s, maker.solver(), contender)
                                  ? maker.make_room(consolidation_purpose(s, maker.solver(), contender))
                                  : Outcome::kNoSolution;
      if (outcome == Outcome::kOutOfTime) return;
      if (outcome != Outcome::kSolved) failed.add(pool, contender);
    }
  }
};

}  // namespace

std::unique_ptr<Action> make_consolidation() { return std::make_unique<Consolidation>(); }

}  // namespace muster::actions
