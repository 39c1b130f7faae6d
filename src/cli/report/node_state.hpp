// The state of nodes after the last cycle, as both text and JSON report it.
#pragma once

#include <optional>
#include <vector>

#include "model/cluster.hpp"
#include "model/decisions.hpp"

namespace muster::cli {

struct SharedStand {
  GroupId gpu;
  double free = 0;  // part of the device
};

struct ConditionWords {
  const char *name, *words;  // "NotReady", "not ready"
};

struct NodeStand {
  NodeId node;
  double gpus = 0, gpus_free = 0;          // whole GPUs; shared GPUs do not count as free
  std::optional<double> fragmented;        // free GPUs that typical pods cannot use, if known
  std::vector<SharedStand> shared;         // devices in use by pods that request part of a GPU
  std::size_t pods = 0;                    // including terminating pods
  std::vector<ConditionWords> conditions;  // conditions that prevent scheduling
};

// The nodes that have an object, sorted by name. `last` are the decisions of the last cycle.
std::vector<NodeStand> node_stands(const Cluster& cluster, const Decisions& last);

}  // namespace muster::cli
