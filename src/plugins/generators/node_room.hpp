// What a node would have free if some of its tasks left and others came.
#pragma once

#include <absl/container/inlined_vector.h>

#include "model/cluster.hpp"

namespace muster::plugins {

class NodeRoom {
 public:
  NodeRoom(const Cluster& cluster, NodeId node);

  NodeId node() const { return node_; }
  // A task that stands there goes.
  void leave(TaskId task);
  // A task of a shape that fits comes.
  void come(const Shape& shape);

  // Whole devices that it lacks for the shape; of a shape that shares: 1 where some device does not do.
  std::int64_t missing_devices(const Shape& shape) const;
  // Another thing that it lacks; not valid: none.
  Kind missing(const Shape& shape) const;
  std::int64_t space(Kind kind) const;

  struct Device {
    GroupId group;  // not valid: it begins to be shared by who comes
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
