// Tracks the use of each NUMA zone by pods, and checks for each node whether a pod can be aligned there.
#include "plugins/numa/numa.hpp"

#include <absl/container/flat_hash_map.h>

#include <algorithm>

#include "engine/cycle/session.hpp"
#include "plugins/numa/requests.hpp"

namespace muster::plugins {
namespace {

constexpr double kAligned = 100;  // divided by the number of zones

std::optional<Kind> find_kind(const KindTable& kinds, const std::string& name) {
  for (std::size_t k = 0; k < kinds.size(); ++k)
    if (kinds.name(Kind(k)) == name) return Kind(k);
  return std::nullopt;
}

class Numa final : public Plugin {
 public:
  explicit Numa(NumaOptions options) : options_(std::move(options)) {}

  void open(Session& session, Hooks& hooks) override {
    cluster_ = &session.cluster;
    read_zones();
    if (nodes_.empty()) return;
    if (options_.reconstruct_available)
      for (TaskId t : ids(cluster_->tasks())) charge(cluster_->placement(t), +1);
    hooks.moved.add([this](TaskId, const Placement& from, const Placement& to) {
      charge(from, -1);
      charge(to, +1);
    });
    hooks.state_filter.add([this](ShapeId s, NodeId n) { return refusal(cluster_->shape(s), n); });
    hooks.holding.add([this](TaskId t, NodeId n, Holding& held) { hold(cluster_->shape_of(t), n, held); });
    hooks.node_score.add_local([this](ShapeId s, NodeId n) { return score(cluster_->shape(s), n); });
  }

 private:
  // ---- zones

  void read_zones() {
    for (const auto& [name, topology] : cluster_->devices().topologies()) {
      const NodeId node = cluster_->find_node(name);
      if (!node.valid() || !cluster_->node(node).present || topology.zones.empty()) continue;
      most_zones_ = std::max(most_zones_, topology.zones.size());
      note_devices(nodes_.emplace(node, zones_of(topology)).first->second);
    }
  }

  void note_devices(const NodeZones& zones) {
    if (!zones.is_scored()) return;
    for (Kind k : zones.kinds)
      if (!is_for_guaranteed_only(cluster_->kinds().name(k)) &&
          std::find(devices_.begin(), devices_.end(), k) == devices_.end())
        devices_.push_back(k);
  }

  NodeZones zones_of(const NodeTopologyObject& topology) const {
    NodeZones zones{.policy = topology.policy, .by_pod = topology.by_pod, .kinds = kinds_of(topology)};
    for (const NumaZoneSpec& zone : topology.zones) {
      auto& allocatable = zones.allocatable.emplace_back();
      auto& free = zones.free.emplace_back();
      for (Kind k : zones.kinds) {
        const std::string& name = cluster_->kinds().name(k);
        allocatable.push_back(units_of(zone.allocatable, name));
        free.push_back(options_.reconstruct_available ? allocatable.back() : units_of(zone.available, name));
      }
    }
    return zones;
  }

  std::vector<Kind> kinds_of(const NodeTopologyObject& topology) const {
    std::vector<Kind> kinds;
    for (const NumaZoneSpec& zone : topology.zones)
      for (const auto* amounts : {&zone.allocatable, &zone.available})
        for (const NamedAmount& a : *amounts) {
          const auto kind = find_kind(cluster_->kinds(), a.name);
          const bool counts = kind && !is_ignored(a.name);
          if (counts && std::find(kinds.begin(), kinds.end(), *kind) == kinds.end()) kinds.push_back(*kind);
        }
    std::sort(kinds.begin(), kinds.end());
    return kinds;
  }

  bool is_ignored(const std::string& name) const {
    return std::find(options_.ignored.begin(), options_.ignored.end(), name) != options_.ignored.end();
  }

  NodeZones* zones_at(NodeId node) {
    const auto found = nodes_.find(node);
    return found == nodes_.end() ? nullptr : &found->second;
  }

  // An evicted pod has already returned its zones; a nominated one has already taken them.
  void charge(const Placement& at, int sign) {
    if (!at.node.valid() || !at.holding.valid() || !in(at.status, kActiveAllocated)) return;
    const auto& shares = cluster_->holding(at.holding).zones;
    if (shares.empty()) return;
    if (NodeZones* zones = zones_at(at.node)) zones->take(shares, sign);
  }

  // ---- answers

  const KindTable& kinds() const { return cluster_->kinds(); }

  std::optional<NodeRefusal> refusal(const Shape& shape, NodeId n) {
    const NodeZones* zones = zones_at(n);
    if (zones == nullptr || !zones->can_refuse() || !is_aligned(kinds(), shape, *zones)) return std::nullopt;
    const ZoneRequests requests = requests_of(kinds(), shape, *zones);
    if (zones->align(requests)) return std::nullopt;
    return what_is_short(*zones, requests);
  }

  // The first kind that no zone has enough of, where a single zone must provide all of it.
  static NodeRefusal what_is_short(const NodeZones& zones, const ZoneRequests& requests) {
    NodeRefusal refused{.rule = NodeRule::kZones, .kind = {}};
    if (zones.policy != AlignmentPolicy::kSingleZone) return refused;
    for (const auto* list : {&requests.side_by_side, &requests.one_by_one})
      for (const ZoneRequest& request : *list)
        for (std::size_t k = 0; k < request.size(); ++k) {
          std::int64_t best = 0;
          for (const auto& free : zones.free) best = std::max(best, free[k]);
          if (best < request[k])
            return refused.kind = zones.kinds[k], refused.wanted = request[k], refused.available = best,
                   refused;
        }
    return refused;
  }

  void hold(const Shape& shape, NodeId n, Holding& held) {
    const NodeZones* zones = zones_at(n);
    if (zones == nullptr || !is_aligned(kinds(), shape, *zones)) return;
    if (auto shares = zones->align(requests_of(kinds(), shape, *zones))) held.zones = *std::move(shares);
  }

  double score(const Shape& shape, NodeId n) {
    if (!needs_alignment(shape)) return 0;
    const NodeZones* zones = zones_at(n);
    if (zones == nullptr) return kAligned / static_cast<double>(most_zones_);
    if (!is_aligned(kinds(), shape, *zones)) return kAligned / static_cast<double>(zones->size());
    const auto shares = zones->align(requests_of(kinds(), shape, *zones));
    return shares ? kAligned / static_cast<double>(count_zones(*shares)) : 0;
  }

  static std::size_t count_zones(const std::vector<ZoneShare>& shares) {
    std::size_t count = shares.empty() ? 1 : 0;
    for (std::size_t i = 0; i < shares.size(); ++i) count += i == 0 || shares[i].zone != shares[i - 1].zone;
    return count;
  }

  bool needs_alignment(const Shape& shape) const {
    return shape.guaranteed || std::any_of(devices_.begin(), devices_.end(),
                                           [&](Kind k) { return amount_of(shape.request, k) > 0; });
  }

  const NumaOptions options_;
  const Cluster* cluster_ = nullptr;
  absl::flat_hash_map<NodeId, NodeZones> nodes_;
  std::size_t most_zones_ = 0;
  std::vector<Kind> devices_;  // kinds that some node aligns for pods of every class
};

}  // namespace

std::unique_ptr<Plugin> make_numa(NumaOptions options) { return std::make_unique<Numa>(std::move(options)); }

}  // namespace muster::plugins
