// For each pending job, in turn, that requests no more GPUs than are free in total, evicts victims that can
// be placed elsewhere.
#include "actions/consolidation.hpp"

#include <algorithm>

#include "engine/search/eviction_planner.hpp"

namespace muster::actions {
namespace {

Candidates consolidation_candidates(Session& s, Solver& solver, JobId preemptor) {
  const int most = s.settings.max_consolidation_victims;
  const bool exact = s.settings.compatibility.exact_consolidation_limit;
  return {.leaves = {solver.pool().leaves().begin(), solver.pool().leaves().end()},
          .eviction_refusal = [&s, preemptor](JobId victim) -> std::optional<VictimRefusal> {
            if (victim == preemptor) return VictimRefusal{.rule = kItself};
            if (!s.cluster.job(victim).is_in_named_queue)
              return VictimRefusal{.rule = "it could not start again in its queue"};
            if (auto why = was_displaced_before(s, victim, preemptor)) return why;
            return s.hooks.consolidation_victim(preemptor, victim);
          },
          .at_most = most < 0 || exact ? most : most + 1,
          .get_other_places = true};
}

// Every evicted task must be nominated to another place.
std::optional<VictimRefusal> unplaced_victim_refusal(const Session& s, const Scenario& scenario) {
  for (const Scenario::Victim& victim : scenario.victims)
    for (TaskId t : victim.tasks)
      if (s.cluster.placement(t).status == TaskStatus::kReleasing)
        return VictimRefusal{.rule = "an evicted pod would find no place"};
  return std::nullopt;
}

bool has_room_in_all(Session& s, Solver& solver, JobId preemptor) {
  const Chunk& chunk = s.chunk(preemptor);
  return chunk.wanted.charge.units[index(Accounted::kGpus)] <= solver.room().usable_total();
}

Purpose consolidation_purpose(Session& s, Solver& solver, JobId preemptor) {
  return {.preemptor = preemptor,
          .candidates = consolidation_candidates(s, solver, preemptor),
          .refusal = [&s](const Scenario& scenario) { return unplaced_victim_refusal(s, scenario); },
          .ground = [](JobId) { return "can be placed elsewhere"; }};
}

// Every victim is placed again and shares do not matter, so the failure of a job is reused for like jobs of
// all queues. The limit of a queue is the exception, which KAI ignores.
QueueId pool_of(const Session& s, JobId preemptor) {
  const QueueId all_queues, own = s.cluster.job(preemptor).queue;
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
    JobOrder waiting = preemptible_preemptors(s, kName);
    if (waiting.empty()) return;
    EvictionPlanner maker(s, kName);
    FailedJobs failed(s, LikeVictims::kYes);
    while (!waiting.empty()) {
      const JobId preemptor = waiting.pop();
      if (s.passes_over_in_vain(preemptor) && !has_room_in_all(s, maker.solver(), preemptor)) {
        maker.report_if_hopeless(preemptor);
        continue;
      }
      const QueueId pool = pool_of(s, preemptor);
      if (maker.report_if_covered(failed, pool, preemptor) || maker.report_if_hopeless(preemptor) ||
          maker.report_if_put_off(preemptor))
        continue;
      const Outcome outcome = has_room_in_all(s, maker.solver(), preemptor)
                                  ? maker.make_room(consolidation_purpose(s, maker.solver(), preemptor))
                                  : Outcome::kNoSolution;
      if (outcome == Outcome::kOutOfTime) return;
      if (outcome != Outcome::kSolved) failed.add(pool, preemptor);
    }
  }
};

}  // namespace

std::unique_ptr<Action> make_consolidation() { return std::make_unique<Consolidation>(); }

}  // namespace muster::actions
