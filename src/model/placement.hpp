// All that scheduling can change about a task.
#pragma once

#include "model/ids.hpp"
#include "model/status.hpp"

namespace muster {

struct Placement {
  TaskStatus status = TaskStatus::kPending;
  // Evicted by a statement that is not committed: may be placed again in the same scenario.
  bool virtually_evicted = false;
  // Evicted when it was only pipelined: what it releases it never held.
  bool never_stood = false;
  NodeId node;
  GroupListId groups;  // shared GPUs of `node`
  // A moved task is pipelined on `node` and still being released on the node it leaves.
  NodeId leaving;
  GroupListId leaving_groups;
  // Where it was to move before that was undone by yet another move: counted as releasing to the cycle's end.
  NodeId passing;
  GroupListId passing_groups;

  bool operator==(const Placement&) const = default;
};

// The nodes on which others see the task: where it stands or will stand, terminating and evicted ones
// included, and the node that it leaves. So an eviction changes nothing here, and its undo neither.
template <class Visit>
void for_each_place(const Placement& at, Visit visit) {
  if (!at.node.valid() || !in(at.status, kActiveUsed)) return;
  visit(at.node);
  if (at.leaving.valid() && at.leaving != at.node) visit(at.leaving);
}

inline bool same_places(const Placement& a, const Placement& b) {
  return in(a.status, kActiveUsed) == in(b.status, kActiveUsed) && a.node == b.node && a.leaving == b.leaving;
}

}  // namespace muster
