// Whether a request fits a node by amounts alone. placement.md 3.
#pragma once

#include <cmath>
#include <optional>

#include "model/cluster.hpp"
#include "model/reasons.hpp"

namespace muster {

// Whether the task could join the shared GPU once releasing memory is free.
inline bool fits_group(const Node& node, const SharedGpu& gpu, std::int64_t memory) {
  return gpu.used() != 0 && gpu.allocated != gpu.releasing - gpu.pipelined &&
         node.gpu_memory - gpu.allocated + gpu.releasing - gpu.pipelined - memory >= 0;
}

// Whether the shared GPU has room for the task now.
inline bool has_idle_memory(const Node& node, const SharedGpu& gpu, std::int64_t memory) {
  return gpu.allocated > 0 && node.gpu_memory - gpu.allocated - memory >= 0;
}

// The rule and kind of a NodeRefusal. Small, because it is computed for every node all the time.
struct NodeShortage {
  NodeRule rule = NodeRule::kResources;
  Kind kind;
};

// Returns what is short if only `space(kind)` is available; nullopt if the request fits. `shared`: GPUs of
// its claims that are counted already.
template <class Space>
std::optional<NodeShortage> short_of(const Cluster& cluster, const Shape& shape, NodeId id, int overdrawn,
                                     std::int64_t shared, Space space) {
  if (shape.is_shared()) {
    const Node& node = cluster.node(id);
    const std::int64_t hundredths = node.hundredths_of(shape.gpu);
    if (hundredths > 100 && hundredths % 100 != 0) return NodeShortage{NodeRule::kGpuLargerThanDevice, kGpu};
    const std::int64_t memory = node.memory_of(shape.gpu);
    std::int64_t joinable = 0;
    for (const SharedGpu& gpu : node.shared) joinable += fits_group(node, gpu, memory);
    const std::int64_t devices = shape.gpu.devices;
    const std::int64_t whole = static_cast<std::int64_t>(
        std::floor(static_cast<double>(space(kGpu)) / static_cast<double>(kOneGpu)));
    if (whole + std::min(devices, joinable) < devices) return NodeShortage{NodeRule::kResources, kGpu};
  }
  for (const Amount& a : shape.request)
    if (a.units > space(a.kind) + (a.kind == kGpu ? shared * kOneGpu : 0))
      return NodeShortage{NodeRule::kResources, a.kind};
  if (overdrawn == 0) return std::nullopt;
  // A shared request is checked against devices, not against whole GPUs.
  for (Kind k : cluster.idle().offered())
    if (space(k) < 0 && !(shape.is_shared() && k == kGpu)) return NodeShortage{NodeRule::kResources, k};
  return std::nullopt;
}

// Fits now, into what is idle.
inline bool fits_now(const Cluster& cluster, const Shape& shape, NodeId id) {
  const std::int64_t shared = shape.claimed_gpus > 0 ? cluster.counted_devices(shape, id, true) : 0;
  return !short_of(cluster, shape, id, cluster.node_table().overdrawn_now(id), shared,
                   [&](Kind k) { return cluster.idle().at(k, id); });
}

// Fits now or later, counting what is being released.
inline std::optional<NodeShortage> short_of_eventually(const Cluster& cluster, const Shape& shape,
                                                       NodeId id) {
  const std::int64_t shared = shape.claimed_gpus > 0 ? cluster.counted_devices(shape, id, false) : 0;
  return short_of(cluster, shape, id, cluster.node_table().overdrawn(id), shared,
                  [&](Kind k) { return cluster.free_or_releasing(k, id); });
}

}  // namespace muster
