// On which nodes others see a task: where it stands or will stand, terminating and evicted ones included, and
// the node that it leaves. So an eviction changes nothing here, and its undo neither.
#pragma once

#include "model/task.hpp"

namespace muster {

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
