// What the tasks of a group request, together and each. placement.md 8.2.
#pragma once

#include <span>

#include "model/cluster.hpp"

namespace muster::plugins {

struct GroupDemand {
  std::int32_t tasks = 0;
  Request sum;                  // over all tasks, without pod slots
  Request largest;              // of each kind, the largest request of one task, with pod slots
  bool is_homogeneous = false;  // all tasks request the same kinds, so that room can be counted in tasks

  bool wants_nothing() const { return sum.empty(); }
};

GroupDemand demand_of(const Cluster& cluster, std::span<const TaskId> tasks);

}  // namespace muster::plugins
