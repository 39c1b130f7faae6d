// Consolidation.
#include "actions/consolidation.hpp"

#include <algorithm>

#include "engine/search/making_room.hpp"

namespace muster::actions {
namespace {

constexpr const char* kName = "consolidation";

Candidates candidates(Session& s, Solver& solver, JobId contender) {
  const int most = s.settings.max_consolidation_victims;
  const bool exact = s.settings.compatibility.exact_consolidation_limit;
  return {.leaves = {solver.pool().leaves().begin(), solver.pool().leaves().end()},
          .spares = [&s, contender](JobId victim) -> std::optional<VictimRefusal> {
            if (victim == contender) return VictimRefusal{.rule = kItself};
            if (auto why = taken_before(s, victim, contender)) return why;
            return s.hooks.consolidation_victim(contender, victim);
          },
          .at_most = most < 0 || exact ? most : most + 1};
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
  const Chunk& chunk = s.chunk(contender, true);
  return chunk.wanted.charge.units[index(Accounted::kGpus)] <= solver.room().usable_total();
}

Purpose purpose(Session& s, Solver& solver, JobId contender) {
  return {.action = kName,
          .contender = contender,
          .candidates = candidates(s, solver, contender),
          .valid = [&s](const Scenario& scenario) { return nobody_is_lost(s, scenario); },
          .ground = [](JobId) { return "has another place in view"; }};
}

class Consolidation final : public Action {
 public:
  std::string name() const override { return kName; }
  void open(Session& s) override {
    if (s.settings.use_signatures) s.take_signatures();
  }

  void run(Session& s) override {
    if (s.settings.max_consolidation_victims == 0) return;
    Solver solver(s, kName);
    FailedJobs failed(s);
    const QueueId all_queues;
    for (JobOrder waiting = contenders(s, kName, true); !waiting.empty();) {
      const JobId contender = waiting.pop();
      if (is_covered(s, failed, all_queues, contender, kName) || is_hopeless(s, contender)) continue;
      const Outcome outcome = has_room_in_all(s, solver, contender)
                                  ? make_room(s, solver, purpose(s, solver, contender))
                                  : Outcome::kNoSolution;
      if (outcome == Outcome::kOutOfTime) return;
      if (outcome != Outcome::kSolved) failed.add(all_queues, contender);
    }
  }
};

}  // namespace

std::unique_ptr<Action> make_consolidation() { return std::make_unique<Consolidation>(); }

}  // namespace muster::actions
