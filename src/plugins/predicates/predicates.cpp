// Filters of nodes. What a cluster does not need (ports, affinity, roles) is not registered.
#include "plugins/predicates/predicates.hpp"

#include <algorithm>

#include "engine/cycle/session.hpp"
#include "engine/place/affinity_index.hpp"
#include "engine/place/fit.hpp"
#include "model/selectors.hpp"
#include "plugins/predicates/host_ports.hpp"
#include "plugins/predicates/storage_room.hpp"
#include "plugins/predicates/volumes.hpp"

namespace muster::plugins {
namespace {

using Refusal = std::optional<NodeRefusal>;

Refusal refused_if(bool claim, NodeRule rule) {
  return claim ? Refusal({.rule = rule, .kind = {}}) : std::nullopt;
}

// What such a request is charged depends on the node; all others are judged before nodes are looked at.
bool is_by_memory(const Shape& shape) { return shape.gpu.type == GpuRequestType::kGpuMemory; }

// ---------------------------------------------------------------- by shape and node object

bool is_of_wrong_type(const Shape& shape, const Node& node) {
  if (shape.gpu.legacy_mig) return true;
  if (shape.is_cpu_only()) return false;
  if (node.claimable_gpus > 0 && shape.is_shared()) return true;
  if (!node.is_mig) return shape.is_mig();
  if (node.mig_strategy == MigStrategy::kSingle) return shape.gpu.type != GpuRequestType::kRegular;
  return node.mig_strategy == MigStrategy::kMixed && !shape.is_mig();
}

// No toleration helps against these.
std::optional<NodeRule> bad_condition(const Node& node) {
  if (node.usable()) return std::nullopt;
  if (node.unschedulable) return NodeRule::kUnschedulable;
  if (node.not_ready) return NodeRule::kNotReady;
  if (node.memory_pressure) return NodeRule::kMemoryPressure;
  if (node.disk_pressure) return NodeRule::kDiskPressure;
  if (node.pid_pressure) return NodeRule::kPidPressure;
  return NodeRule::kNetworkUnavailable;
}

std::optional<NodeRule> broken_rule(const Shape& shape, const Node& node) {
  if (is_of_wrong_type(shape, node)) return NodeRule::kNodeType;
  if (is_by_memory(shape) && !node.gpu_memory_known) return NodeRule::kGpuMemoryUnknown;
  if (const auto condition = bad_condition(node)) return condition;
  if (!tolerates_all(shape.constraints.tolerations, node.taints)) return NodeRule::kTaints;
  if (!selects(shape.constraints, node)) return NodeRule::kNodeAffinity;
  return std::nullopt;
}

// For KAI, memory of two whole devices is a share of one.
bool is_larger_than_device(const Shape& shape, const Node& node) {
  return is_by_memory(shape) && node.hundredths_of(shape.gpu) > 100;
}

bool lacks_role(const ClusterOptions& options, const Shape& shape, const Node& node) {
  return node.label(shape.is_cpu_only() ? options.cpu_worker_label : options.gpu_worker_label) == nullptr;
}

// ---------------------------------------------------------------- by what stands on the node

// A device that begins to be shared needs a pod slot for its reservation, too. KAI wants it in any case.
bool lacks_slots(const Cluster& cluster, const Shape& shape, NodeId id, bool only_for_new_groups) {
  if (!shape.is_shared() || cluster.free_or_releasing(kPods, id) >= 2) return false;
  const Node& node = cluster.node(id);
  const std::int64_t memory = node.memory_of(shape.gpu);
  const auto joinable = std::count_if(node.shared.begin(), node.shared.end(),
                                      [&](const SharedGpu& gpu) { return fits_group(node, gpu, memory); });
  return !only_for_new_groups || joinable < shape.gpu.devices;
}

// Nodes on which a pod stands that names its MIG profile by annotation. None can come or go within a cycle.
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

// ---------------------------------------------------------------- before any node is looked at

// What no eviction would change: an amount that no node has, an object that does not exist.
class Obstacles {
 public:
  explicit Obstacles(const Cluster& cluster) : cluster_(cluster) {}

  std::optional<JobReason> of(TaskId task) {
    if (auto reason = larger_than_any_node(task)) return reason;
    return missing_config_map(task);
  }

 private:
  static constexpr std::int64_t kUnknown = -1;

  std::optional<JobReason> larger_than_any_node(TaskId task) {
    const Shape& shape = cluster_.shape_of(task);
    if (auto reason = larger(task, kGpu, shape.gpu_units())) return reason;
    for (const Amount& a : shape.request)
      if (auto reason = larger(task, a.kind, a.units)) return reason;
    return std::nullopt;
  }

  std::optional<JobReason> larger(TaskId task, Kind kind, std::int64_t wanted) {
    if (wanted <= largest(kind)) return std::nullopt;
    return JobReason{.rule = JobRule::kLargerThanAnyNode,
                     .wanted = static_cast<double>(wanted),
                     .bound = static_cast<double>(largest(kind)),
                     .kind = kind,
                     .task = task};
  }

  // Looked up when a kind is first asked for.
  std::int64_t largest(Kind kind) {
    if (largest_.empty()) largest_.assign(cluster_.kinds().size(), kUnknown);
    if (largest_[kind] != kUnknown) return largest_[kind];
    largest_[kind] = 0;
    for (NodeId n : cluster_.nodes_by_name())
      largest_[kind] = std::max(largest_[kind], cluster_.allocatable().at(kind, n));
    return largest_[kind];
  }

  std::optional<JobReason> missing_config_map(TaskId task) const {
    for (const std::string& name : cluster_.shape_of(task).constraints.config_maps)
      if (!cluster_.has_config_map(cluster_.task(task).ns, name))
        return JobReason{.rule = JobRule::kConfigMapMissing, .task = task, .name = name};
    return std::nullopt;
  }

  const Cluster& cluster_;
  IdVector<Kind, std::int64_t> largest_;
};

// ---------------------------------------------------------------- the plugin

class Predicates final : public Plugin {
 public:
  explicit Predicates(PredicatesOptions options) : options_(options) {}

  void open(Session& session, Hooks& hooks) override {
    cluster_ = &session.cluster;
    differences_ = &session.settings.differences;
    add_shape_filters(hooks);
    add_state_filters(hooks);
    if (cluster_->shapes().has_host_ports()) add_port_filter(hooks);
    add_capacity_filter(hooks);
    if (cluster_->shapes().has_pod_affinity()) add_affinity_filter(hooks);
    obstacles_.emplace(*cluster_);
    hooks.before_placing.add([this](TaskId t) { return obstacles_->of(t); });
    hooks.hopeless.add([this](TaskId t) { return obstacles_->of(t); });
    if (some_shape([](const Shape& s) { return !s.constraints.volume_claims.empty(); }))
      add_volume_filters(hooks);
  }

 private:
  void add_shape_filters(Hooks& hooks) {
    hooks.shape_filter.add([&c = *cluster_](ShapeId s, NodeId n) {
      const auto rule = broken_rule(c.shape(s), c.node(n));
      return rule ? refused_if(true, *rule) : std::nullopt;
    });
    if (differences_->memory_within_device)
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
          [&c = *cluster_, only_new = differences_->slots_for_new_groups](ShapeId s, NodeId n) {
            return refused_if(lacks_slots(c, c.shape(s), n, only_new), NodeRule::kPodSlots);
          });
  }

  void add_port_filter(Hooks& hooks) {
    hooks.state_filter.add([this](ShapeId s, NodeId n) {
      const Shape& shape = cluster_->shape(s);
      const bool asks = !shape.constraints.host_ports.empty();
      return refused_if(asks && ports().collide(shape, n), NodeRule::kHostPorts);
    });
    hooks.moved.add([this](TaskId t, const Placement& from, const Placement& to) {
      if (ports_) ports_->moved(t, from, to);
    });
  }

  void add_volume_filters(Hooks& hooks) {
    volumes_.emplace(*cluster_, options_.account_storage);
    hooks.before_placing.add([this](TaskId t) { return volumes_->obstacle(t); });
    hooks.hopeless.add([this](TaskId t) { return volumes_->obstacle(t); });
    hooks.shape_filter.add([this](ShapeId s, NodeId n) { return volumes_->refusal(s, n); });
    if (options_.account_storage) add_storage_filters(hooks);
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
    hooks.node_filter.add([this](TaskId t, NodeId n) { return refused_by_affinity(t, n); });
    hooks.moved.add([this](TaskId t, const Placement& from, const Placement& to) {
      if (affinity_) affinity_->moved(t, from, to);
    });
  }

  Refusal refused_by_affinity(TaskId t, NodeId n) {
    const AffinityIndex& index = affinity();
    if (!index.concerns(t)) return std::nullopt;
    if (!index.meets_affinity(t, n)) return refused_if(true, NodeRule::kPodAffinity);
    if (index.own_terms(t, n) > 0) return refused_if(true, NodeRule::kPodAntiAffinity);
    return refused_if(index.terms_of_others(t, n) > 0, NodeRule::kExistingAntiAffinity);
  }

  // Both are made when first asked for, from where the tasks stand then, and kept up to date from there.
  const HostPortTable& ports() { return ports_ ? *ports_ : ports_.emplace(*cluster_); }
  const AffinityIndex& affinity() {
    return affinity_ ? *affinity_ : affinity_.emplace(*cluster_, AffinityIndex::Follows::kRequiredTerms);
  }

  template <class Claim>
  bool some_shape(Claim claim) const {
    for (std::size_t i = 0; i < cluster_->shapes().size(); ++i)
      if (claim(cluster_->shape(ShapeId(i)))) return true;
    return false;
  }

  const PredicatesOptions options_;
  const Cluster* cluster_ = nullptr;
  const KaiDifferences* differences_ = nullptr;
  std::optional<Obstacles> obstacles_;
  std::optional<VolumeFilter> volumes_;
  std::optional<StorageRoom> storage_;
  std::optional<LegacyMigNodes> legacy_mig_;
  std::optional<HostPortTable> ports_;
  std::optional<AffinityIndex> affinity_;
};

}  // namespace

std::unique_ptr<Plugin> make_predicates(PredicatesOptions options) {
  return std::make_unique<Predicates>(options);
}

}  // namespace muster::plugins
