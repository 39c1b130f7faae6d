// The order in which a scenario's contender and the victims' jobs are placed: the normal scheduling order of
// all waiting jobs, of which the others are passed over, or served as well. actions.md 9.6, requeue.md.
//
// Passed-over jobs change nothing but which job stands at the head of its queue, and a run of jobs that ask
// for the same compares the same. So the line of waiting jobs is kept for as long as the action runs, and a
// scenario walks runs of it. Its slow twin is a JobOrder with every job in it. How that is filled decides
// where queues stand until they are sorted again, and so who comes first.
#pragma once

#include <absl/container/inlined_vector.h>

#include <optional>
#include <span>
#include <vector>

#include "engine/order/queue_heaps.hpp"
#include "engine/order/waiting_line.hpp"

namespace muster {

// A job that a scenario places; it may or may not be among the waiting ones.
struct Contestant {
  JobEntry job;
  Demand wanted;
};

struct ScenarioLeaf {
  struct Ours {
    Contestant contestant;
    std::size_t place;  // stands before the waiting job of this index
  };
  const WaitingLine::Leaf* waiting = nullptr;
  std::size_t at = 0;                                   // in waiting->jobs
  absl::InlinedVector<std::size_t, 4> ours_in_waiting;  // places of contestants there, in order
  std::size_t next_own_place = 0;                       // among them
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
  // Queue by queue, each with its best job; or job by job, the oldest first, as the actions fill theirs.
  enum class Filled : std::uint8_t { kByQueue, kByAge };
  ScenarioOrder(Session& session, const WaitingLine& waiting, Filled filled)
      : Heaps(session), waiting_(waiting), filled_(filled) {}

  // Starts over with these jobs.
  void start(std::span<const Contestant> contestants);
  // The next contestant, or an invalid id when all have been served.
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
  std::optional<Age> there_;  // while jobs come in by age: those up to this one
  std::vector<Node*> leaves_;
  std::size_t left_ = 0;  // contestants
};

}  // namespace muster
