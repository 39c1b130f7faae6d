// Checks node type, conditions, taints and labels, in the order in which refusals are reported.
#include "plugins/predicates/node_rules.hpp"

#include <algorithm>
#include <limits>

#include "model/notation.hpp"
#include "model/selectors.hpp"

namespace muster::plugins {
namespace {

std::int64_t bytes_of(std::int64_t mib) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() >> 20;
  return std::min(mib, kMost) << 20;
}

const std::string& role_label(const ClusterOptions& options, const Shape& shape) {
  return shape.is_cpu_only() ? options.cpu_worker_label : options.gpu_worker_label;
}

bool is_of_wrong_type(const Shape& shape, const Node& node) {
  if (shape.gpu.legacy_mig) return true;
  if (shape.is_cpu_only()) return false;
  if (node.claimable_gpus > 0 && shape.is_shared()) return true;
  if (!node.is_mig) return shape.is_mig();
  if (node.mig_strategy == MigStrategy::kSingle) return shape.gpu.type != GpuRequestType::kRegular;
  return node.mig_strategy == MigStrategy::kMixed && !shape.is_mig();
}

// No toleration helps against these conditions.
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
  return node.label(role_label(options, shape)) == nullptr;
}

void name_by_node(const ClusterOptions& options, const Shape& shape, const Node& node, NodeRefusal& refusal) {
  if (refusal.rule == NodeRule::kTaints)
    if (const Taint* taint = not_tolerated(shape.constraints.tolerations, node.taints))
      refusal.what = notation(*taint);
  if (refusal.rule == NodeRule::kNodeAffinity) refusal.what = unmet_notation(shape.constraints, node);
  if (refusal.rule == NodeRule::kWorkerRole) refusal.what = role_label(options, shape);
  if (refusal.rule == NodeRule::kGpuLargerThanDevice && is_by_memory(shape)) {
    refusal.wanted = bytes_of(shape.gpu.memory_mib);
    refusal.available = bytes_of(node.gpu_memory);
  }
}

}  // namespace muster::plugins
