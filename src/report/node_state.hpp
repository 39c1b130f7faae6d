// The state of nodes after the last cycle, as both text and JSON report it.
#pragma once

#include <optional>
#include <vector>

#include "model/cluster.hpp"
#include "model/decisions.hpp"

namespace muster::report {

struct SharedGpuState {
  GroupId gpu;
  double free = 0;  // part of the device
};

struct ConditionName {
  const char *name, *words;  // "NotReady", "not ready"
};

struct NodeState {
  NodeId node;
  double gpus = 0, gpus_free = 0;         // whole GPUs; shared GPUs do not count as free
  std::optional<double> fragmented;       // free GPUs that typical pods cannot use, if known
  std::vector<SharedGpuState> shared;     // devices in use by pods that request part of a GPU
  std::size_t pods = 0;                   // including terminating pods
  std::vector<ConditionName> conditions;  // conditions that prevent scheduling
};

// The nodes that have an object, sorted by name. `last` are the decisions of the last cycle.
std::vector<NodeState> node_states(const Cluster& cluster, const Decisions& last);

}  // namespace muster::report
