// A node's score for a shape: what the free GPUs lose in value, the less the better. Only where GPUs are
// shared or pods are bound to some of the nodes; elsewhere packing leaves nothing to gain.
#include "plugins/fragmentation/fragmentation.hpp"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "engine/cycle/session.hpp"
#include "engine/place/fit.hpp"
#include "engine/place/journal_reader.hpp"
#include "plugins/fragmentation/landscape.hpp"

namespace muster::plugins {
namespace {

constexpr double kMostLoss = 16;      // GPUs; a node with more to lose counts as this
constexpr double kStepsOfAGpu = 1e4;  // of a GPU: smaller differences are ties
constexpr double kBelowTable = 8e4;   // points that stay below those of preferred topology
constexpr double kOthers = 2e4;       // what the other scores of shape and node add up to at most

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
    if (gpu.wholly_releasing() && gpu.pipelined == 0) continue;  // counts as a whole one
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
    landscape_.emplace(s.cluster);
    if (!landscape_->is_uneven()) return;
    standing_.resize(s.cluster.nodes().size());
    known_of_.resize(s.cluster.shapes().size());
    hooks.node_score.scale_own(kBelowTable / (2 * kMostLoss * options_.weight + kOthers));
    hooks.node_score.add_local([this](ShapeId shape, NodeId n) { return score(shape, n); });
    hooks.gpu_score.add(
        [this](TaskId t, NodeId n, GroupId gpu, double& sum) { sum -= device_loss(t, n, gpu); });
    hooks.free_gpus.set("fragmentation", [this](NodeId n) { return free_gpus(n); });
  }

 private:
  // What a node has free and what that is worth, as long as it does not change.
  struct Standing {
    bool is_known = false;
    Room room;
    double value = 0;
    std::uint32_t state = 0;  // the same number where all of this is the same
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
  // What a shape would lose on nodes of the states that were met last: many nodes are empty alike.
  struct Known {
    std::uint32_t state = 0;
    double loss = 0;
  };
  using KnownLosses = std::array<Known, 16>;

  const Standing& standing(NodeId n) {
    journal_.read(
        *cluster_, [&] { standing_.assign(standing_.size(), {}); },
        [&](NodeId changed) { standing_[changed].is_known = false; });
    Standing& at = standing_[n];
    if (!at.is_known) {
      at.room = room_on(*cluster_, n);
      at.value = landscape_->kind(n)->value(at.room);
      at.state = state_of(n, at.room);
      at.is_known = true;
    }
    return at;
  }

  std::uint32_t state_of(NodeId n, const Room& room) {
    constexpr std::size_t kMost = 1 << 16;  // a long search meets many, and few of them again
    if (states_.size() >= kMost) states_.clear();
    const auto [at, is_new] =
        states_.try_emplace({landscape_->kind(n), cluster_->node(n).gpu_memory, room}, last_state_ + 1);
    if (is_new) ++last_state_;
    return at->second;
  }

  // A node where the task can not start yet comes after all others: there, KAI's order decides.
  double score(ShapeId id, NodeId n) {
    const Shape& shape = cluster_->shape(id);
    if (!fits_now(*cluster_, shape, n)) return 0;
    return options_.weight * (kMostLoss - loss(id, n));
  }

  double loss(ShapeId id, NodeId n) {
    const RoomValue* const kind = landscape_->kind(n);
    if (kind == nullptr) return 0;
    const Standing& now = standing(n);
    if (now.room.whole == 0 && now.room.parts.empty()) return 0;
    Known& known = known_losses(id)[now.state % std::tuple_size_v<KnownLosses>];
    if (known.state != now.state)
      known = {now.state,
               std::clamp(in_steps(loss_of(cluster_->shape(id), n, now, *kind)), -kMostLoss, kMostLoss)};
    return known.loss;
  }

  KnownLosses& known_losses(ShapeId id) {
    constexpr std::uint32_t kNone = 0;  // places are counted from 1
    if (known_of_[id] == kNone)
      known_.emplace_back(), known_of_[id] = static_cast<std::uint32_t>(known_.size());
    return known_[known_of_[id] - 1];
  }

  double loss_of(const Shape& shape, NodeId n, const Standing& now, const RoomValue& kind) const {
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

  // One step outweighs what gpupack and gpuspread can give.
  double device_loss(TaskId t, NodeId n, GroupId group) {
    const RoomValue* const kind = landscape_->kind(n);
    if (kind == nullptr) return 0;
    const Shape& shape = cluster_->shape_of(t);
    const Node& node = cluster_->node(n);
    const int share = share_of(shape, node);
    const std::int64_t cpu = cluster_->free_or_releasing(kCpu, n) - amount_of(shape.request, kCpu);
    return 2 * kStepsOfAGpu *
           in_steps(group.valid() ? kind->loss_of_part(cpu, free_on(node, group), share)
                                  : kind->loss_of_whole(cpu, standing(n).room.whole, share));
  }

  static int free_on(const Node& node, GroupId group) {
    for (const SharedGpu& gpu : node.shared)
      if (gpu.group == group) return free_part(node, gpu);
    return 0;
  }

  FreeGpus free_gpus(NodeId n) {
    const RoomValue* const kind = landscape_->kind(n);
    if (kind == nullptr) return {};
    const Room& room = standing(n).room;
    double free = room.whole;
    for (std::uint8_t part : room.parts) free += part / 100.0;
    return {.free = free, .fragmented = kind->fragmented(room)};
  }

  const FragmentationOptions options_;
  const Cluster* cluster_ = nullptr;
  std::optional<Landscape> landscape_;
  JournalReader journal_;
  IdVector<NodeId, Standing> standing_;
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
