// How nodes stand after the last cycle: what text and JSON both tell.
#pragma once

#include <vector>

#include "model/cluster.hpp"

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
  std::vector<SharedStand> shared;         // devices in use by pods that ask for a part of one
  std::size_t pods = 0;                    // terminating ones included
  std::vector<ConditionWords> conditions;  // that keep pods away
};

// Nodes that have an object, by name.
std::vector<NodeStand> node_stands(const Cluster& cluster);

}  // namespace muster::cli
