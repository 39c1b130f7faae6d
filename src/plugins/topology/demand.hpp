// What the tasks of a group ask for, together and each. placement.md 8.2.
#pragma once

#include <span>

#include "model/cluster.hpp"

namespace muster::plugins {

struct GroupDemand {
  std::int32_t tasks = 0;
  Request sum;                  // of all tasks; pod slots left out
  Request largest;              // of each kind, the most that one task wants; pod slots included
  bool is_homogeneous = false;  // all tasks want the same kinds, so that room can be counted in tasks

  bool wants_nothing() const { return sum.empty(); }
};

GroupDemand demand_of(const Cluster& cluster, std::span<const TaskId> tasks);

}  // namespace muster::plugins
