// Which host ports are in use on each node. A releasing task keeps its ports.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <vector>

#include "model/cluster.hpp"

namespace muster::plugins {

class HostPortTable {
 public:
  // One pass over all tasks.
  explicit HostPortTable(const Cluster& cluster);
  void moved(TaskId task, const Placement& from, const Placement& to);
  // Some port that the shape wants is taken: the first; null: none.
  const HostPort* taken(const Shape& shape, NodeId node) const;

 private:
  void add(NodeId node, ShapeId shape) { standing_[node].push_back(shape); }
  void remove(NodeId node, ShapeId shape);

  const Cluster& cluster_;
  absl::flat_hash_map<NodeId, std::vector<ShapeId>> standing_;  // of tasks with ports, one entry per task
};

}  // namespace muster::plugins
