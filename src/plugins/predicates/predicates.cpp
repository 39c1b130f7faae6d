// Registers the node filters. A cluster pays only for those it needs (ports, affinity, roles).
#include "plugins/predicates/predicates.hpp"

#include <algorithm>

#include "engine/cycle/session.hpp"
#include "engine/place/affinity_index.hpp"
#include "engine/place/fit.hpp"
#include "model/notation.hpp"
#include "plugins/predicates/attach_limits.hpp"
#include "plugins/predicates/host_ports.hpp"
#include "plugins/predicates/node_rules.hpp"
#include "plugins/predicates/obstacles.hpp"
#include "plugins/predicates/storage_room.hpp"
#include "plugins/predicates/volumes.hpp"

namespace muster::plugins {
namespace {

using Refusal = std::optional<NodeRefusal>;

Refusal refused_if(bool claim, NodeRule rule) {
  return claim ? Refusal({.rule = rule, .kind = {}}) : std::nullopt;
}

// ---------------------------------------------------------------- filters by placed pods

// A device that begins to be shared also needs a pod slot for its reservation pod. KAI requires that slot in
// any case.
bool lacks_slots(const Cluster& cluster, const Shape& shape, NodeId id, bool only_for_new_groups) {
  if (!shape.is_shared() || cluster.free_or_releasing(kPods, id) >= 2) return false;
  const Node& node = cluster.node(id);
  const std::int64_t memory = node.memory_of(shape.gpu);
  const auto joinable = std::count_if(node.shared.begin(), node.shared.end(),
                                      [&](const SharedGpu& gpu) { return fits_group(node, gpu, memory); });
  return !only_for_new_groups || joinable < shape.gpu.devices;
}

// Nodes with a pod that names its MIG profile by annotation. Such pods do not come or go within a cycle.
class LegacyMigNodes {
 public:
  explicit LegacyMigNodes(const Cluster& cluster) : has_legacy_(cluster.nodes().size(), false) {
    for (TaskId t : ids(cluster.tasks()))
      if (const NodeId node = cluster.placement(t).node; node.valid() && cluster.shape_of(t).gpu.legacy_mig)
        has_legacy_[node] = true;
  }
  bool refuse(const Shape& shape, NodeId node) const { return shape.is_mig() && has_legacy_[node]; }

 private:
  IdVector<NodeId, bool> has_legacy_;
};

// ---------------------------------------------------------------- the plugin

class Predicates final : public Plugin {
 public:
  explicit Predicates(PredicatesOptions options) : options_(options) {}

  void open(Session& session, Hooks& hooks) override {
    cluster_ = &session.cluster;
    compatibility_ = &session.settings.compatibility;
    add_shape_filters(hooks);
    add_state_filters(hooks);
    if (cluster_->shapes().has_host_ports()) add_port_filter(hooks);
    add_capacity_filter(hooks);
    if (cluster_->shapes().has_pod_affinity()) add_affinity_filter(hooks);
    obstacles_.emplace(*cluster_, *compatibility_);
    hooks.before_placing.add([this](TaskId t) { return obstacles_->of(t); });
    hooks.hopeless.add([this](TaskId t) { return obstacles_->of(t); });
    if (some_shape([](const Shape& s) { return !s.constraints.volume_claims.empty(); }))
      add_volume_filters(hooks);
    hooks.name_refusal.add(
        [this, &hooks](TaskId t, NodeId n, NodeRefusal& refusal) { name_refusal(hooks, t, n, refusal); });
  }

 private:
  void add_shape_filters(Hooks& hooks) {
    hooks.shape_filter.add([&c = *cluster_](ShapeId s, NodeId n) {
      const auto rule = broken_rule(c.shape(s), c.node(n));
      return rule ? refused_if(true, *rule) : std::nullopt;
    });
    if (compatibility_->memory_within_device)
      hooks.shape_filter.add([&c = *cluster_](ShapeId s, NodeId n) {
        return refused_if(is_larger_than_device(c.shape(s), c.node(n)), NodeRule::kGpuLargerThanDevice);
      });
    if (!cluster_->options().restrict_node_scheduling) return;
    hooks.shape_filter.add([&c = *cluster_](ShapeId s, NodeId n) {
      return refused_if(lacks_role(c.options(), c.shape(s), c.node(n)), NodeRule::kWorkerRole);
    });
  }

  void add_state_filters(Hooks& hooks) {
    if (some_shape([](const Shape& s) { return s.gpu.legacy_mig; })) {
      legacy_mig_.emplace(*cluster_);
      hooks.state_filter.add([this](ShapeId s, NodeId n) {
        return refused_if(legacy_mig_->refuse(cluster_->shape(s), n), NodeRule::kNodeType);
      });
    }
    if (some_shape([](const Shape& s) { return s.is_shared(); }))
      hooks.state_filter.add(
          [&c = *cluster_, only_new = compatibility_->slots_for_new_groups](ShapeId s, NodeId n) {
            return refused_if(lacks_slots(c, c.shape(s), n, only_new), NodeRule::kPodSlots);
          });
  }

  void add_port_filter(Hooks& hooks) {
    hooks.state_filter.add([this](ShapeId s, NodeId n) {
      const Shape& shape = cluster_->shape(s);
      const bool asks = !shape.constraints.host_ports.empty();
      return refused_if(asks && ports().taken(shape, n) != nullptr, NodeRule::kHostPorts);
    });
    hooks.moved.add([this](TaskId t, const Placement& from, const Placement& to) {
      if (ports_) ports_->moved(t, from, to);
    });
  }

  void add_volume_filters(Hooks& hooks) {
    volumes_.emplace(*cluster_, VolumeRules{.ignore_space = options_.account_storage,
                                            .each_once = compatibility_->each_volume_once});
    hooks.before_placing.add([this](TaskId t) { return volumes_->obstacle(t); });
    hooks.hopeless.add([this](TaskId t) { return volumes_->obstacle(t); });
    hooks.shape_filter.add([this](ShapeId s, NodeId n) { return volumes_->refusal(s, n); });
    if (options_.account_storage) add_storage_filters(hooks);
    if (compatibility_->volume_limits && !cluster_->kept().all<CsiNodeObject>().empty())
      add_limit_filter(hooks);
    hooks.node_filter.add([this](TaskId t, NodeId n) { return volumes_->choose(t, n); });
    hooks.holding.add([this](TaskId t, NodeId, Holding& held) { volumes_->hold(t, held); });
    hooks.moved.add(
        [this](TaskId t, const Placement& from, const Placement& to) { volumes_->moved(t, from, to); });
  }

  void add_limit_filter(Hooks& hooks) {
    limits_.emplace(*cluster_);
    hooks.node_filter.add([this](TaskId t, NodeId n) { return limits_->refusal(t, n); });
    hooks.moved.add(
        [this](TaskId t, const Placement& from, const Placement& to) { limits_->moved(t, from, to); });
  }

  void add_storage_filters(Hooks& hooks) {
    storage_.emplace(*cluster_);
    hooks.before_placing.add([this](TaskId t) { return storage_->obstacle(t); });
    hooks.hopeless.add([this](TaskId t) { return storage_->obstacle(t); });
    hooks.node_filter.add([this](TaskId t, NodeId n) { return storage_->lacks_room(t, n, true); });
    hooks.now_filter.add([this](TaskId t, NodeId n) { return storage_->lacks_room(t, n, false); });
    hooks.moved.add(
        [this](TaskId t, const Placement& from, const Placement& to) { storage_->moved(t, from, to); });
  }

  void add_capacity_filter(Hooks& hooks) {
    if (!some_shape([](const Shape& s) { return is_by_memory(s); })) return;
    hooks.node_filter.add([&c = *cluster_, &hooks](TaskId t, NodeId n) {
      const bool asks = is_by_memory(c.shape_of(t)) && hooks.task_over_capacity;
      return refused_if(asks && hooks.task_over_capacity(t, n), NodeRule::kQueueCapacity);
    });
  }

  void add_affinity_filter(Hooks& hooks) {
    hooks.before_placing.add([this](TaskId t) { return too_many_terms(t); });
    hooks.hopeless.add([this](TaskId t) { return too_many_terms(t); });
    hooks.node_filter.add([this](TaskId t, NodeId n) { return refused_by_affinity(t, n); });
    hooks.moved.add([this](TaskId t, const Placement& from, const Placement& to) {
      if (affinity_) affinity_->moved(t, from, to);
    });
  }

  std::optional<JobReason> too_many_terms(TaskId t) {
    const Constraints& c = cluster_->shape_of(t).constraints;
    if (c.pod_affinity.empty() && c.pod_anti_affinity.empty()) return std::nullopt;
    if (!affinity().is_left_out(cluster_->task(t).shape)) return std::nullopt;
    return JobReason{.rule = JobRule::kTooManyTerms,
                     .bound = static_cast<double>(kMostTermsAlike),
                     .task = t,
                     .name = cluster_->task(t).ns};
  }

  Refusal refused_by_affinity(TaskId t, NodeId n) {
    const AffinityIndex& index = affinity();
    if (!index.concerns(t)) return std::nullopt;
    if (!index.meets_affinity(t, n)) return refused_if(true, NodeRule::kPodAffinity);
    if (index.own_terms(t, n) > 0) return refused_if(true, NodeRule::kPodAntiAffinity);
    return refused_if(index.terms_of_others(t, n) > 0, NodeRule::kExistingAntiAffinity);
  }

  void name_refusal(const Hooks& hooks, TaskId t, NodeId n, NodeRefusal& refusal) {
    const Shape& shape = cluster_->shape_of(t);
    name_by_node(cluster_->options(), shape, cluster_->node(n), refusal);
    if (refusal.rule == NodeRule::kHostPorts)
      if (const HostPort* port = ports().taken(shape, n)) refusal.what = notation(*port);
    if (refusal.rule == NodeRule::kQueueCapacity && hooks.task_over_capacity)
      if (const auto reason = hooks.task_over_capacity(t, n); reason && reason->queue.valid())
        refusal.what = cluster_->queue(reason->queue).shown_name();
    if (refusal.rule == NodeRule::kPodAffinity) name_opposition(affinity().unmet_affinity(t, n), refusal);
    if (refusal.rule == NodeRule::kPodAntiAffinity) name_opposition(affinity().own_opposition(t, n), refusal);
    if (refusal.rule == NodeRule::kExistingAntiAffinity)
      name_opposition(affinity().opposition_of_others(t, n), refusal);
  }

  void name_opposition(const AffinityIndex::Opposition& opposition, NodeRefusal& refusal) const {
    if (opposition.term != nullptr) refusal.what = notation(*opposition.term);
    if (opposition.who.valid()) refusal.who = cluster_->task(opposition.who).full_name();
  }

  // Both are built from the current placements on first use, and kept up to date from then on.
  const HostPortTable& ports() { return ports_ ? *ports_ : ports_.emplace(*cluster_); }
  const AffinityIndex& affinity() {
    return affinity_ ? *affinity_ : affinity_.emplace(*cluster_, TermsOf::kRequired);
  }

  template <class Claim>
  bool some_shape(Claim claim) const {
    for (std::size_t i = 0; i < cluster_->shapes().size(); ++i)
      if (claim(cluster_->shape(ShapeId(i)))) return true;
    return false;
  }

  const PredicatesOptions options_;
  const Cluster* cluster_ = nullptr;
  const Compatibility* compatibility_ = nullptr;
  std::optional<Obstacles> obstacles_;
  std::optional<VolumeFilter> volumes_;
  std::optional<StorageRoom> storage_;
  std::optional<AttachLimits> limits_;
  std::optional<LegacyMigNodes> legacy_mig_;
  std::optional<HostPortTable> ports_;
  std::optional<AffinityIndex> affinity_;
};

}  // namespace

std::unique_ptr<Plugin> make_predicates(PredicatesOptions options) {
  return std::make_unique<Predicates>(options);
}

}  // namespace muster::plugins
