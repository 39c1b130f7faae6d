// Scores a node for a shape by the value that its free GPUs would lose: the smaller the loss, the better.
// Scores only where GPUs are shared or pods are bound to some of the nodes; elsewhere packing is enough.
#include "plugins/fragmentation/fragmentation.hpp"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "engine/cycle/session.hpp"
#include "engine/place/fit.hpp"
#include "engine/place/journal_reader.hpp"
#include "plugins/fragmentation/node_values.hpp"

namespace muster::plugins {
namespace {

constexpr double kMostLoss = 16;      // GPUs; larger losses count as this
constexpr double kStepsOfAGpu = 1e4;  // per GPU: smaller differences are ties
constexpr double kBelowTable = 8e4;   // points, below those of preferred topology
constexpr double kOthers = 2e4;       // upper bound of the sum of all other scores of shape and node

double in_steps(double gpus) { return std::round(gpus * kStepsOfAGpu) / kStepsOfAGpu; }

int hundredths_of(std::int64_t amount, std::int64_t whole) {
  return whole <= 0 ? 0 : static_cast<int>(std::clamp<std::int64_t>(amount * 100 / whole, 0, 100));
}

int free_part(const Node& node, const SharedGpu& gpu) {
  return hundredths_of(node.gpu_memory - gpu.allocated + gpu.releasing - gpu.pipelined, node.gpu_memory);
}

Room room_on(const Cluster& c, NodeId id) {
  const Node& node = c.node(id);
  Room room{
      .cpu = c.free_or_releasing(kCpu, id),
      .memory = c.free_or_releasing(kMemory, id),
      .whole = static_cast<int>(std::clamp<std::int64_t>(c.free_or_releasing(kGpu, id) / kOneGpu, 0, 1024))};
  for (const SharedGpu& gpu : node.shared) {
    if (gpu.wholly_releasing() && gpu.pipelined == 0) continue;  // counts as a whole device
    if (const int part = free_part(node, gpu); part > 0)
      room.parts.push_back(static_cast<std::uint8_t>(part));
  }
  return room;
}

class Fragmentation final : public Plugin {
 public:
  explicit Fragmentation(FragmentationOptions options) : options_(options) {}

  void open(Session& s, Hooks& hooks) override {
    if (options_.weight <= 0) return;
    cluster_ = &s.cluster;
    node_values_.emplace(s.cluster);
    if (!node_values_->is_uneven()) return;
    node_info_.resize(s.cluster.nodes().size());
    known_of_.resize(s.cluster.shapes().size());
    hooks.node_score.scale_own(kBelowTable / (2 * kMostLoss * options_.weight + kOthers));
    hooks.node_score.add_local([this](ShapeId shape, NodeId n) { return score(shape, n); });
    hooks.gpu_score.add(
        [this](TaskId t, NodeId n, GroupId gpu, double& sum) { sum -= device_loss(t, n, gpu); });
    hooks.free_gpus.set("fragmentation", [this](NodeId n) { return free_gpus(n); });
  }

 private:
  // The free resources of a node and their value; valid until the node changes.
  struct NodeInfo {
    bool is_known = false;
    Room room;
    double value = 0;
    std::uint32_t state = 0;  // equal for nodes where all of the above is equal
  };
  struct State {
    const RoomValue* kind;
    std::int64_t gpu_memory;
    Room room;
    bool operator==(const State&) const = default;
    template <class H>
    friend H AbslHashValue(H h, const State& s) {
      return H::combine(std::move(h), s.kind, s.gpu_memory, s.room);
    }
  };
  // Loss of a shape on the node states met last. Many nodes, such as empty ones, share a state.
  struct CachedLoss {
    std::uint32_t state = 0;
    double loss = 0;
  };
  using KnownLosses = std::array<CachedLoss, 16>;

  const NodeInfo& node_info(NodeId n) {
    journal_.read(
        *cluster_, [&] { node_info_.assign(node_info_.size(), {}); },
        [&](NodeId changed) { node_info_[changed].is_known = false; });
    NodeInfo& at = node_info_[n];
    if (!at.is_known) {
      at.room = room_on(*cluster_, n);
      at.value = node_values_->kind(n)->value(at.room);
      at.state = state_of(n, at.room);
      at.is_known = true;
    }
    return at;
  }

  std::uint32_t state_of(NodeId n, const Room& room) {
    constexpr std::size_t kMost = 1 << 16;  // a long search meets many states, and few of them twice
    if (states_.size() >= kMost) states_.clear();
    const auto [at, is_new] =
        states_.try_emplace({node_values_->kind(n), cluster_->node(n).gpu_memory, room}, last_state_ + 1);
    if (is_new) ++last_state_;
    return at->second;
  }

  // A node where the task cannot start yet gets no score, so it comes after all others, and KAI's order
  // decides among such nodes.
  double score(ShapeId id, NodeId n) {
    const Shape& shape = cluster_->shape(id);
    if (!fits_now(*cluster_, shape, n)) return 0;
    return options_.weight * (kMostLoss - loss(id, n));
  }

  double loss(ShapeId id, NodeId n) {
    const RoomValue* const kind = node_values_->kind(n);
    if (kind == nullptr) return 0;
    const NodeInfo& now = node_info(n);
    if (now.room.whole == 0 && now.room.parts.empty()) return 0;
    CachedLoss& known = known_losses(id)[now.state % std::tuple_size_v<KnownLosses>];
    if (known.state != now.state)
      known = {now.state,
               std::clamp(in_steps(loss_of(cluster_->shape(id), n, now, *kind)), -kMostLoss, kMostLoss)};
    return known.loss;
  }

  KnownLosses& known_losses(ShapeId id) {
    constexpr std::uint32_t kNone = 0;  // indices are counted from 1
    if (known_of_[id] == kNone)
      known_.emplace_back(), known_of_[id] = static_cast<std::uint32_t>(known_.size());
    return known_[known_of_[id] - 1];
  }

  double loss_of(const Shape& shape, NodeId n, const NodeInfo& now, const RoomValue& kind) const {
    Room left = now.room;
    left.cpu -= amount_of(shape.request, kCpu);
    left.memory -= amount_of(shape.request, kMemory);
    if (shape.is_shared())
      return now.value - kind.value_with_share(left, share_of(shape, cluster_->node(n)), shape.gpu.devices);
    left.whole = std::max<int>(0, left.whole - static_cast<int>(shape.whole_gpus() / kOneGpu));
    return now.value - kind.value(left);
  }

  static int share_of(const Shape& shape, const Node& node) {
    return static_cast<int>(std::clamp<std::int64_t>(node.hundredths_of(shape.gpu), 0, 100));
  }

  // One step outweighs the scores of gpupack and gpuspread.
  double device_loss(TaskId t, NodeId n, GroupId group) {
    const RoomValue* const kind = node_values_->kind(n);
    if (kind == nullptr) return 0;
    const Shape& shape = cluster_->shape_of(t);
    const Node& node = cluster_->node(n);
    const int share = share_of(shape, node);
    const std::int64_t cpu = cluster_->free_or_releasing(kCpu, n) - amount_of(shape.request, kCpu);
    return 2 * kStepsOfAGpu *
           in_steps(group.valid() ? kind->loss_of_part(cpu, free_on(node, group), share)
                                  : kind->loss_of_whole(cpu, node_info(n).room.whole, share));
  }

  static int free_on(const Node& node, GroupId group) {
    for (const SharedGpu& gpu : node.shared)
      if (gpu.group == group) return free_part(node, gpu);
    return 0;
  }

  FreeGpus free_gpus(NodeId n) {
    const RoomValue* const kind = node_values_->kind(n);
    if (kind == nullptr) return {};
    const Room& room = node_info(n).room;
    double free = room.whole;
    for (std::uint8_t part : room.parts) free += part / 100.0;
    return {.free = free, .fragmented = kind->fragmented(room)};
  }

  const FragmentationOptions options_;
  const Cluster* cluster_ = nullptr;
  std::optional<NodeValues> node_values_;
  JournalReader journal_;
  IdVector<NodeId, NodeInfo> node_info_;
  absl::flat_hash_map<State, std::uint32_t> states_;
  std::uint32_t last_state_ = 0;
  IdVector<ShapeId, std::uint32_t> known_of_;
  std::deque<KnownLosses> known_;
};

}  // namespace

std::unique_ptr<Plugin> make_fragmentation(FragmentationOptions options) {
  return std::make_unique<Fragmentation>(options);
}

}  // namespace muster::plugins
