// Combines the sums of the node with what was freed and taken since.
#include "plugins/generators/node_room.hpp"

#include <algorithm>

namespace muster::plugins {

NodeRoom::NodeRoom(const Cluster& cluster, NodeId node) : cluster_(&cluster), node_(node) {
  const std::int64_t memory = cluster.node(node).gpu_memory;
  for (const SharedGpu& gpu : cluster.node(node).shared)
    if (!gpu.wholly_releasing() || gpu.pipelined > 0)  // otherwise it counts as a whole device
      shared_.push_back({gpu.group, memory - gpu.allocated + gpu.releasing - gpu.pipelined});
}

void NodeRoom::add(Kind kind, std::int64_t units) {
  const auto at = std::find_if(freed_.begin(), freed_.end(), [&](const Amount& a) { return a.kind == kind; });
  if (at == freed_.end())
    freed_.push_back({kind, units});
  else
    at->units += units;
}

std::int64_t NodeRoom::space(Kind kind) const {
  std::int64_t units = cluster_->free_or_releasing(kind, node_);
  for (const Amount& a : freed_)
    if (a.kind == kind) units += a.units;
  return units;
}

void NodeRoom::leave(TaskId task) {
  const Shape& shape = cluster_->shape_of(task);
  const Node& node = cluster_->node(node_);
  for (const Amount& a : shape.request) add(a.kind, a.units);
  for (GroupId group : cluster_->groups(cluster_->placement(task).holding)) {
    const auto at =
        std::find_if(shared_.begin(), shared_.end(), [&](const Device& d) { return d.group == group; });
    if (at == shared_.end()) continue;
    at->free_mib += node.memory_of(shape.gpu);
    if (at->free_mib < node.gpu_memory) continue;
    shared_.erase(at);
    add(kGpu, kOneGpu);
  }
}

// Prefers the tightest of the shared devices.
void NodeRoom::come(const Shape& shape) {
  for (const Amount& a : shape.request) add(a.kind, -a.units);
  if (!shape.is_shared()) return;
  const Node& node = cluster_->node(node_);
  const std::int64_t memory = node.memory_of(shape.gpu);
  std::sort(shared_.begin(), shared_.end(),
            [](const Device& a, const Device& b) { return a.free_mib < b.free_mib; });
  std::int64_t devices = shape.gpu.devices;
  for (Device& device : shared_)
    if (devices > 0 && device.free_mib >= memory) device.free_mib -= memory, --devices;
  for (; devices > 0; --devices) {
    add(kGpu, -kOneGpu);
    shared_.push_back({GroupId(), node.gpu_memory - memory});
  }
}

std::int64_t NodeRoom::missing_devices(const Shape& shape) const {
  const std::int64_t whole = std::max<std::int64_t>(0, space(kGpu)) / kOneGpu;
  if (!shape.is_shared()) return std::max<std::int64_t>(0, shape.whole_gpus() / kOneGpu - whole);
  const std::int64_t memory = cluster_->node(node_).memory_of(shape.gpu);
  const auto joinable =
      std::count_if(shared_.begin(), shared_.end(), [&](const Device& d) { return d.free_mib >= memory; });
  return std::max<std::int64_t>(0, shape.gpu.devices - whole - joinable);
}

Kind NodeRoom::missing(const Shape& shape) const {
  for (const Amount& a : shape.request)
    if (a.kind != kGpu && a.units > space(a.kind)) return a.kind;
  return {};
}

}  // namespace muster::plugins
