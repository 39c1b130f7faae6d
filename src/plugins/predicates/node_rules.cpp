// Node type, conditions, taints and labels, in the order in which a user reads of them.
#include "plugins/predicates/node_rules.hpp"

#include "model/selectors.hpp"

namespace muster::plugins {
namespace {

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

}  // namespace

std::optional<NodeRule> broken_rule(const Shape& shape, const Node& node) {
  if (is_of_wrong_type(shape, node)) return NodeRule::kNodeType;
  if (is_by_memory(shape) && !node.gpu_memory_known) return NodeRule::kGpuMemoryUnknown;
  if (const auto condition = bad_condition(node)) return condition;
  if (!tolerates_all(shape.constraints.tolerations, node.taints)) return NodeRule::kTaints;
  if (!selects(shape.constraints, node)) return NodeRule::kNodeAffinity;
  return std::nullopt;
}

bool is_larger_than_device(const Shape& shape, const Node& node) {
  return is_by_memory(shape) && node.hundredths_of(shape.gpu) > 100;
}

bool lacks_role(const ClusterOptions& options, const Shape& shape, const Node& node) {
  return node.label(shape.is_cpu_only() ? options.cpu_worker_label : options.gpu_worker_label) == nullptr;
}

}  // namespace muster::plugins
