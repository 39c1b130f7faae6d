// Preempt.
#include "actions/preempt.hpp"

#include "engine/search/making_room.hpp"

namespace muster::actions {
namespace {

constexpr const char* kName = "preempt";

// Jobs of strictly lower priority in the contender's queue.
Candidates candidates(Session& s, JobId contender) {
  return {.leaves = {s.cluster.job(contender).queue},
          .spares = [&s, contender](JobId victim) -> std::optional<VictimRefusal> {
            if (victim == contender) return VictimRefusal{.rule = kItself};
            if (s.cluster.job(victim).priority >= s.cluster.job(contender).priority)
              return VictimRefusal{.rule = "no lower priority"};
            return s.hooks.preempt_victim(contender, victim);
          }};
}

Purpose purpose(Session& s, JobId contender) {
  return {.action = kName,
          .contender = contender,
          .candidates = candidates(s, contender),
          .valid = [&s](const Scenario& scenario) { return s.hooks.preempt_scenario(scenario); },
          .ground = [](JobId) { return "lower priority in the same queue"; }};
}

bool is_over_quota(Session& s, JobId contender) {
  if (!s.hooks.job_over_quota) return false;
  const Chunk chunk = s.chunk(contender, true);
  auto reason = s.hooks.job_over_quota(contender, chunk.tasks);
  if (reason) s.adds_reason(contender, *reason);
  return reason.has_value();
}

class Preempt final : public Action {
 public:
  std::string name() const override { return kName; }
  void open(Session& s) override {
    if (s.settings.use_signatures) s.take_signatures();
  }

  void run(Session& s) override {
    Solver solver(s, kName);
    FailedJobs failed(s);
    for (JobOrder waiting = contenders(s, kName); !waiting.empty();) {
      const JobId contender = waiting.pop();
      const QueueId queue = s.cluster.job(contender).queue;
      if (is_covered(s, failed, queue, contender, kName) || is_hopeless(s, contender)) continue;
      const Outcome outcome =
          is_over_quota(s, contender) ? Outcome::kNoSolution : make_room(s, solver, purpose(s, contender));
      if (outcome == Outcome::kOutOfTime) return;
      if (outcome != Outcome::kSolved) failed.add(queue, contender);
    }
  }
};

}  // namespace

std::unique_ptr<Action> make_preempt() { return std::make_unique<Preempt>(); }

}  // namespace muster::actions
