// The host ports in use on each node. A terminating task keeps its ports.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <vector>

#include "model/cluster.hpp"

namespace muster::plugins {

class HostPortTable {
 public:
  // Takes one pass over all tasks.
  explicit HostPortTable(const Cluster& cluster);
  void moved(TaskId task, const Placement& from, const Placement& to);
  // The first port of the shape that is already in use on the node; null if there is none.
  const HostPort* taken(const Shape& shape, NodeId node) const;

 private:
  void add(NodeId node, ShapeId shape) { shapes_on_[node].push_back(shape); }
  void remove(NodeId node, ShapeId shape);

  const Cluster& cluster_;
  absl::flat_hash_map<NodeId, std::vector<ShapeId>> shapes_on_;  // of tasks with ports, one entry per task
};

}  // namespace muster::plugins
