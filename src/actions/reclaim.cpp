// Reclaim.
#include "actions/reclaim.hpp"

#include "engine/making_room.hpp"

namespace muster::actions {
namespace {

constexpr const char* kName = "reclaim";

// Jobs of other leaf queues from which the contender may take.
Candidates candidates(Session& s, Solver& solver, JobId contender) {
  Candidates found;
  for (QueueId leaf : solver.pool().leaves())
    if (leaf != s.cluster.job(contender).queue && !solver.pool().of(leaf).empty() &&
        !s.hooks.reclaim_from_queue(contender, leaf))
      found.leaves.push_back(leaf);
  found.may_evict = [&s, contender](JobId victim) { return !s.hooks.reclaim_victim(contender, victim); };
  return found;
}

class Reclaim final : public Action {
 public:
  std::string name() const override { return kName; }
  void open(Session& s) override {
    if (s.settings.use_signatures) s.take_signatures();
  }

  void run(Session& s) override {
    if (!s.hooks.may_reclaim) return;
    Solver solver(s);
    FailedJobs failed(s);
    const bool remembers = s.settings.use_signatures;
    for (JobOrder waiting = contenders(s, kName); !waiting.empty();) {
      const JobId contender = waiting.pop();
      const QueueId queue = s.cluster.job(contender).queue;
      if (!s.hooks.may_reclaim(contender)) continue;
      if (remembers && failed.cover(queue, contender)) continue;
      if (is_hopeless(s, contender)) continue;
      s.hooks.search_begins(contender);
      const bool solved = make_room(s, solver, contender, kName, candidates(s, solver, contender),
                                    [&s](const Scenario& scenario) { return s.hooks.reclaim_scenario(scenario); });
      if (!solved && remembers) failed.add(queue, contender);
    }
  }
};

}  // namespace

std::unique_ptr<Action> make_reclaim() { return std::make_unique<Reclaim>(); }

}  // namespace muster::actions
