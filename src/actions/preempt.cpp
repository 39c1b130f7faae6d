// Preempt.
#include "actions/preempt.hpp"

#include "engine/making_room.hpp"

namespace muster::actions {
namespace {

constexpr const char* kName = "preempt";

// Jobs of strictly lower priority in the contender's queue.
Candidates candidates(Session& s, JobId contender) {
  return {.leaves = {s.cluster.job(contender).queue}, .may_evict = [&s, contender](JobId victim) {
            return victim != contender && s.cluster.job(victim).priority < s.cluster.job(contender).priority &&
                   !s.hooks.preempt_victim(contender, victim);
          }};
}

bool is_over_quota(Session& s, JobId contender) {
  if (!s.hooks.job_over_quota) return false;
  const Chunk chunk = s.chunk(contender, true);
  return s.hooks.job_over_quota(contender, chunk.tasks).has_value();
}

class Preempt final : public Action {
 public:
  std::string name() const override { return kName; }
  void open(Session& s) override {
    if (s.settings.use_signatures) s.take_signatures();
  }

  void run(Session& s) override {
    Solver solver(s);
    FailedJobs failed(s);
    const bool remembers = s.settings.use_signatures;
    for (JobOrder waiting = contenders(s, kName); !waiting.empty();) {
      const JobId contender = waiting.pop();
      const QueueId queue = s.cluster.job(contender).queue;
      if (remembers && failed.cover(queue, contender)) continue;
      if (is_hopeless(s, contender)) continue;
      const bool solved = !is_over_quota(s, contender) &&
                          make_room(s, solver, contender, kName, candidates(s, contender),
                                    [&s](const Scenario& sc) { return s.hooks.preempt_scenario(sc); });
      if (!solved && remembers) failed.add(queue, contender);
    }
  }
};

}  // namespace

std::unique_ptr<Action> make_preempt() { return std::make_unique<Preempt>(); }

}  // namespace muster::actions
