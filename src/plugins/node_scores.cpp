// Node scores, in descending order of weight: each outweighs all that come after it.
#include "plugins/node_scores.hpp"

#include <algorithm>
#include <optional>

#include "engine/cycle/session.hpp"
#include "engine/place/fit.hpp"

namespace muster::plugins {
namespace {

// Each dominates all that follow.
constexpr double kNominated = 10'000'000, kSharing = 10'000, kAvailableNow = 1'000, kResourceType = 10,
                 kPack = 9;

bool is_cpu_only(const Cluster& c, NodeId n) { return !c.node(n).is_mig && c.allocatable().at(kGpu, n) <= 0; }

// A request for whole GPUs fits no shared one. A request without GPUs fits any: on a node with shared GPUs,
// the CPUs it takes are missed least.
bool fits_some_shared_gpu(const Cluster& c, const Shape& shape, NodeId id) {
  const Node& node = c.node(id);
  if (node.shared.empty()) return false;
  const std::int64_t memory = shape.is_shared()        ? node.memory_of(shape.gpu)
                              : shape.whole_gpus() > 0 ? node.gpu_memory
                                                       : 0;
  return std::any_of(node.shared.begin(), node.shared.end(),
                     [&](const SharedGpu& gpu) { return fits_group(node, gpu, memory); });
}

class NodePlacement final : public Plugin {
 public:
  explicit NodePlacement(NodePlacementOptions options) : options_(options) {}

  void open(Session& s, Hooks& hooks) override {
    cluster_ = &s.cluster;
    hooks.node_score.add_relative(
        [this](ShapeId shape, std::span<const NodeId> nodes, std::span<double> sums) {
          strategy(shape) == Strategy::kPack ? pack(kind(shape), nodes, sums)
                                             : spread(kind(shape), nodes, sums);
        },
        [this](ShapeId shape, NodeId n) { return key(shape, n); });
    for (NodeId n : s.cluster.nodes_by_name())
      for (Kind k : {kCpu, kGpu})
        most_[k.index()] = std::max(most_[k.index()], s.cluster.allocatable().at(k, n));
  }

 private:
  Kind kind(ShapeId shape) const { return cluster_->shape(shape).is_cpu_only() ? kCpu : kGpu; }
  Strategy strategy(ShapeId shape) const { return kind(shape) == kCpu ? options_.cpu : options_.gpu; }
  double free(Kind k, NodeId n) const { return static_cast<double>(cluster_->free_or_releasing(k, n)); }

  // The fullest node gets 9, the emptiest 0.
  void pack(Kind k, std::span<const NodeId> nodes, std::span<double> sums) const {
    double lo = 0, hi = 0;
    bool any = false;
    for (NodeId n : nodes) {
      if (cluster_->allocatable().at(k, n) == 0) continue;
      lo = any ? std::min(lo, free(k, n)) : free(k, n);
      hi = std::max(hi, free(k, n));
      any = true;
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (cluster_->allocatable().at(k, nodes[i]) == 0 || hi == 0) continue;
      sums[i] += lo == hi ? kPack : kPack * (1 - (free(k, nodes[i]) - lo) / (hi - lo));
    }
  }

  void spread(Kind k, std::span<const NodeId> nodes, std::span<double> sums) const {
    for (std::size_t i = 0; i < nodes.size(); ++i) sums[i] += spread_score(k, nodes[i]);
  }
  double spread_score(Kind k, NodeId n) const {
    const double capacity = k == kGpu ? static_cast<double>(cluster_->node(n).gpu_devices * kOneGpu)
                                      : static_cast<double>(cluster_->allocatable().at(k, n));
    return capacity == 0 ? 0 : free(k, n) / capacity;
  }

  // Compares with the largest node instead of the emptiest one, so a change of one node changes no
  // other score. The order of the nodes is the same if every node that can take the task offers the resource.
  std::optional<double> key(ShapeId shape, NodeId n) const {
    const Kind k = kind(shape);
    if (strategy(shape) == Strategy::kSpread) return spread_score(k, n);
    if (cluster_->allocatable().at(k, n) == 0)
      return 0;  // for MIG instances the key of nodes with whole GPUs is not exact
    const bool needs_it = amount_of(cluster_->shape(shape).request, k) > 0;
    const bool exact = needs_it || (cluster_->shape(shape).is_shared() && free(k, n) >= 0);
    if (!exact) return std::nullopt;
    const auto most = static_cast<double>(most_[k.index()]);
    return most == 0 ? 0 : kPack * (1 - free(k, n) / most);
  }

  const NodePlacementOptions options_;
  const Cluster* cluster_ = nullptr;
  std::array<std::int64_t, 3> most_{};
};

// Used part of a device's memory; 0 for a device that is not shared.
double used_part(const Cluster& c, NodeId id, GroupId group) {
  const Node& node = c.node(id);
  for (const SharedGpu& gpu : node.shared)
    if (gpu.group == group) return static_cast<double>(gpu.used()) / static_cast<double>(node.gpu_memory);
  return 0;
}

}  // namespace

std::unique_ptr<Plugin> make_node_availability() {
  return plugin_of([](Session& s, Hooks& hooks) {
    hooks.node_score.add_local([&c = s.cluster](ShapeId shape, NodeId n) {
      return fits_now(c, c.shape(shape), n) ? kAvailableNow : 0.0;
    });
  });
}

std::unique_ptr<Plugin> make_resource_type() {
  return plugin_of([](Session& s, Hooks& hooks) {
    hooks.node_score.add_local([&c = s.cluster](ShapeId shape, NodeId n) {
      return c.shape(shape).is_cpu_only() && is_cpu_only(c, n) ? kResourceType : 0.0;
    });
  });
}

std::unique_ptr<Plugin> make_nominated_node() {
  return plugin_of([](Session& s, Hooks& hooks) {
    hooks.node_score.add_global(
        [&c = s.cluster](TaskId t) { return c.task(t).nominated.valid(); },
        [&c = s.cluster](TaskId t, std::span<const NodeId> nodes, std::span<double> sums) {
          for (std::size_t i = 0; i < nodes.size(); ++i)
            if (nodes[i] == c.task(t).nominated) sums[i] += kNominated;
        });
  });
}

std::unique_ptr<Plugin> make_gpu_sharing_order() {
  return plugin_of([](Session& s, Hooks& hooks) {
    hooks.node_score.add_local([&c = s.cluster](ShapeId shape, NodeId n) {
      return fits_some_shared_gpu(c, c.shape(shape), n) ? kSharing : 0.0;
    });
  });
}

std::unique_ptr<Plugin> make_node_placement(NodePlacementOptions options) {
  return std::make_unique<NodePlacement>(options);
}

std::unique_ptr<Plugin> make_gpu_pack() {
  return plugin_of([](Session& s, Hooks& hooks) {
    hooks.gpu_score.add(
        [&c = s.cluster](TaskId, NodeId n, GroupId g, double& score) { score += used_part(c, n, g); });
  });
}

std::unique_ptr<Plugin> make_gpu_spread() {
  return plugin_of([](Session& s, Hooks& hooks) {
    hooks.gpu_score.add(
        [&c = s.cluster](TaskId, NodeId n, GroupId g, double& score) { score += 1 - used_part(c, n, g); });
  });
}

}  // namespace muster::plugins
