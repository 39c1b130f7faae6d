// How nodes stand after the last cycle: what text and JSON both tell.
#pragma once

#include <optional>
#include <vector>

#include "model/cluster.hpp"
#include "model/decisions.hpp"

namespace muster::cli {

struct SharedStand {
  GroupId gpu;
  double free = 0;  // of the device
};

struct ConditionWords {
  const char *name, *words;  // "NotReady", "not ready"
};

struct NodeStand {
  NodeId node;
  double gpus = 0, gpus_free = 0;          // whole ones; those that are shared are not free
  std::optional<double> fragmented;        // free GPUs that typical pods can not use, where that is known
  std::vector<SharedStand> shared;         // devices in use by pods that ask for a part of one
  std::size_t pods = 0;                    // terminating ones included
  std::vector<ConditionWords> conditions;  // that keep pods away
};

// Nodes that have an object, by name; `last`: of the last cycle.
std::vector<NodeStand> node_stands(const Cluster& cluster, const Decisions& last);

}  // namespace muster::cli
