// Filters of nodes. What a cluster does not need (ports, affinity, roles) is not registered.
#include "plugins/predicates.hpp"

#include <algorithm>

#include "engine/session.hpp"
#include "model/selectors.hpp"
#include "plugins/host_ports.hpp"

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

bool lacks_role(const ClusterOptions& options, const Shape& shape, const Node& node) {
  return node.label(shape.is_cpu_only() ? options.cpu_worker_label : options.gpu_worker_label) == nullptr;
}

// ---------------------------------------------------------------- by what stands on the node

// A shared GPU may be a new one, and then its reservation needs a pod slot too.
bool lacks_slots(const Cluster& cluster, const Shape& shape, NodeId node) {
  return shape.is_shared() && cluster.free_or_releasing(kPods, node) < 2;
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

// The largest amount of each kind that some node has; a kind is looked up when it is first asked for.
class LargestAmounts {
 public:
  explicit LargestAmounts(const Cluster& cluster) : cluster_(cluster) {}
  std::int64_t of(Kind kind) {
    if (known_.empty()) known_.assign(cluster_.kinds().size(), kUnknown);
    if (known_[kind] == kUnknown) known_[kind] = largest(kind);
    return known_[kind];
  }

 private:
  static constexpr std::int64_t kUnknown = -1;

  std::int64_t largest(Kind kind) const {
    std::int64_t most = 0;
    for (NodeId n : cluster_.nodes_by_name()) most = std::max(most, cluster_.allocatable().at(kind, n));
    return most;
  }

  const Cluster& cluster_;
  IdVector<Kind, std::int64_t> known_;
};

// Whole devices, or the sum of the shares; GPU memory is no amount of GPUs before a node is known.
std::int64_t wanted_gpus(const Shape& shape) {
  if (shape.gpu.type != GpuRequestType::kFraction) return shape.whole_gpus();
  return shape.charge.units[index(Accounted::kGpus)];
}

class Predicates final : public Plugin {
 public:
  void open(Session& session, Hooks& hooks) override {
    session_ = &session;
    largest_ = std::make_unique<LargestAmounts>(session.cluster);
    add_shape_filters(hooks);
    add_state_filters(hooks);
    add_capacity_filter(hooks);
    const auto impossible = [this](TaskId t) { return impossible_for(t); };
    hooks.before_placing.add(impossible);
    hooks.hopeless.add(impossible);
  }

 private:
  const Cluster& cluster() const { return session_->cluster; }

  void add_shape_filters(Hooks& hooks) {
    hooks.shape_filter.add([&c = cluster()](ShapeId s, NodeId n) {
      const auto rule = broken_rule(c.shape(s), c.node(n));
      return rule ? refused_if(true, *rule) : std::nullopt;
    });
    if (!cluster().options().restrict_node_scheduling) return;
    hooks.shape_filter.add([&c = cluster()](ShapeId s, NodeId n) {
      return refused_if(lacks_role(c.options(), c.shape(s), c.node(n)), NodeRule::kWorkerRole);
    });
  }

  void add_state_filters(Hooks& hooks) {
    if (some_shape([](const Shape& s) { return s.gpu.legacy_mig; })) {
      legacy_mig_ = std::make_unique<LegacyMigNodes>(cluster());
      hooks.state_filter.add([this](ShapeId s, NodeId n) {
        return refused_if(legacy_mig_->refuse(cluster().shape(s), n), NodeRule::kNodeType);
      });
    }
    if (some_shape([](const Shape& s) { return s.is_shared(); }))
      hooks.state_filter.add([&c = cluster()](ShapeId s, NodeId n) {
        return refused_if(lacks_slots(c, c.shape(s), n), NodeRule::kPodSlots);
      });
    if (cluster().has_host_ports()) add_port_filter(hooks);
  }

  void add_port_filter(Hooks& hooks) {
    ports_ = std::make_unique<HostPortTable>(cluster());
    hooks.state_filter.add([this](ShapeId s, NodeId n) {
      return refused_if(ports_->collides(cluster().shape(s), n), NodeRule::kHostPorts);
    });
    hooks.moved.add(
        [this](TaskId t, const Placement& from, const Placement& to) { ports_->moved(t, from, to); });
  }

  template <class Claim>
  bool some_shape(Claim claim) const {
    for (std::size_t i = 0; i < cluster().shape_count(); ++i)
      if (claim(cluster().shape(ShapeId(i)))) return true;
    return false;
  }

  void add_capacity_filter(Hooks& hooks) {
    if (!some_shape([](const Shape& s) { return is_by_memory(s); })) return;
    hooks.node_filter.add([&c = cluster(), &hooks](TaskId t, NodeId n) {
      const bool asks = is_by_memory(c.shape_of(t)) && hooks.task_over_capacity;
      return refused_if(asks && hooks.task_over_capacity(t, n), NodeRule::kQueueCapacity);
    });
  }

  std::optional<JobReason> impossible_for(TaskId t) const {
    if (auto reason = larger_than_any_node(t)) return reason;
    return missing_config_map(t);
  }

  std::optional<JobReason> larger_than_any_node(TaskId t) const {
    const Shape& shape = cluster().shape_of(t);
    const auto larger = [&](Kind kind, std::int64_t wanted) -> std::optional<JobReason> {
      const std::int64_t bound = largest_->of(kind);
      if (wanted <= bound) return std::nullopt;
      return JobReason{.rule = JobRule::kLargerThanAnyNode,
                       .wanted = static_cast<double>(wanted),
                       .bound = static_cast<double>(bound),
                       .kind = kind,
                       .task = t};
    };
    if (auto reason = larger(kGpu, wanted_gpus(shape))) return reason;
    for (const Amount& a : shape.request)
      if (auto reason = larger(a.kind, a.units)) return reason;
    return std::nullopt;
  }

  std::optional<JobReason> missing_config_map(TaskId t) const {
    for (const std::string& name : cluster().shape_of(t).constraints.config_maps)
      if (!cluster().has_config_map(cluster().task(t).ns, name))
        return JobReason{.rule = JobRule::kConfigMapMissing, .task = t, .name = name};
    return std::nullopt;
  }

  Session* session_ = nullptr;
  std::unique_ptr<LargestAmounts> largest_;
  std::unique_ptr<LegacyMigNodes> legacy_mig_;
  std::unique_ptr<HostPortTable> ports_;
};

}  // namespace

std::unique_ptr<Plugin> make_predicates(PredicatesOptions) { return std::make_unique<Predicates>(); }

}  // namespace muster::plugins
