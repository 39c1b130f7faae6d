// The order in which a scenario places its preemptor and the victims' jobs: the normal scheduling order of
// all pending jobs. The other pending jobs are either skipped or served as well. actions.md 9.6, requeue.md.
//
// Skipped jobs affect only which job is at the head of its queue, and a run of jobs with equal requests
// compares equal. The list of pending jobs is therefore kept for the whole action, and a scenario walks over
// runs of it. The result equals that of a JobOrder that contains every job. The order of insertion into that
// JobOrder decides the position of queues until they are sorted again, and so which job comes first.
#pragma once

#include <absl/container/inlined_vector.h>

#include <optional>
#include <span>
#include <vector>

#include "engine/order/queue_heaps.hpp"
#include "engine/order/waiting_line.hpp"

namespace muster {

// A job that a scenario places. It may or may not be pending.
struct Contestant {
  JobEntry job;
  Demand wanted;
};

struct ScenarioLeaf {
  struct Ours {
    Contestant contestant;
    std::size_t place;  // index of the pending job that it precedes
  };
  const WaitingLine::Leaf* waiting = nullptr;
  std::size_t at = 0;                                   // index in waiting->jobs
  absl::InlinedVector<std::size_t, 4> ours_in_waiting;  // indices of contestants in that list, ascending
  std::size_t next_own_place = 0;                       // index in ours_in_waiting
  absl::InlinedVector<Ours, 4> ours;                    // in job order
  std::size_t next_ours = 0;

  bool others_are_served() const { return waiting == nullptr || at >= waiting->jobs.size(); }
  bool empty() const { return next_ours == ours.size() && others_are_served(); }
  bool ours_is_next() const {
    return next_ours < ours.size() && (others_are_served() || ours[next_ours].place <= at);
  }
  void pass_own_places();
  void pass_run();
  void clear();
};

class ScenarioOrder : private QueueHeaps<ScenarioOrder, ScenarioLeaf, ComesUp::kServedFirst> {
  using Heaps = QueueHeaps<ScenarioOrder, ScenarioLeaf, ComesUp::kServedFirst>;
  friend Heaps;

 public:
  // Queue by queue, each with its best job; or job by job, oldest first, as actions insert them.
  enum class Filled : std::uint8_t { kByQueue, kByAge };
  ScenarioOrder(Session& session, const WaitingLine& waiting, Filled filled)
      : Heaps(session), waiting_(waiting), filled_(filled) {}

  // Starts over with these contestants.
  void start(std::span<const Contestant> contestants);
  // The next contestant; not valid once all have been served.
  JobId pop();
  // The next job, contestant or not.
  JobId pop_any();

 private:
  QueueSide side(QueueId queue, const ScenarioLeaf& best) const;
  ScenarioLeaf& leaf_of(QueueId queue);
  void add(const Contestant& contestant);
  void sort(ScenarioLeaf& leaf) const;
  void link_by_age();
  Age oldest(const ScenarioLeaf& leaf) const;
  const Demand& head_of_those_there(const ScenarioLeaf& leaf) const;
  JobId pop_head(ScenarioLeaf& leaf);

  const WaitingLine& waiting_;
  const Filled filled_;
  std::optional<Age> there_;  // while inserting by age: the age of the last job inserted
  std::vector<Node*> leaves_;
  std::size_t left_ = 0;  // number of contestants left
};

}  // namespace muster
