// The free resources of a node if some of its tasks left and others came.
#pragma once

#include <absl/container/inlined_vector.h>

#include "model/cluster.hpp"

namespace muster::plugins {

class NodeRoom {
 public:
  NodeRoom(const Cluster& cluster, NodeId node);

  NodeId node() const { return node_; }
  // Removes a task that is on the node.
  void leave(TaskId task);
  // Adds a task of a shape that fits.
  void come(const Shape& shape);

  // The number of whole devices that the node lacks for the shape. For a shape that uses a share: 1 if no
  // device has room for it.
  std::int64_t missing_devices(const Shape& shape) const;
  // Another resource that the node lacks; not valid if it lacks none.
  Kind missing(const Shape& shape) const;
  std::int64_t space(Kind kind) const;

  struct Device {
    GroupId group;  // not valid: the next task begins to share it
    std::int64_t free_mib;
  };
  const absl::InlinedVector<Device, 8>& shared() const { return shared_; }

 private:
  void add(Kind kind, std::int64_t units);

  const Cluster* cluster_;
  NodeId node_;
  absl::InlinedVector<Amount, 8> freed_;
  absl::InlinedVector<Device, 8> shared_;
};

}  // namespace muster::plugins
