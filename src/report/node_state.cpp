// Derives the state of each node from the cluster.
#include "report/node_state.hpp"

#include <algorithm>
#include <utility>

namespace muster::report {
namespace {

constexpr std::pair<bool NodeConditions::*, ConditionName> kConditions[] = {
    {&NodeConditions::unschedulable, {"Unschedulable", "cordoned"}},
    {&NodeConditions::not_ready, {"NotReady", "not ready"}},
    {&NodeConditions::memory_pressure, {"MemoryPressure", "memory pressure"}},
    {&NodeConditions::disk_pressure, {"DiskPressure", "disk pressure"}},
    {&NodeConditions::pid_pressure, {"PIDPressure", "PID pressure"}},
    {&NodeConditions::network_unavailable, {"NetworkUnavailable", "network unavailable"}}};

std::vector<ConditionName> conditions_of(const NodeConditions& node) {
  std::vector<ConditionName> list;
  for (const auto& [is_so, words] : kConditions)
    if (node.*is_so) list.push_back(words);
  return list;
}

std::vector<SharedGpuState> shared_of(const Node& node) {
  std::vector<SharedGpuState> list;
  for (const SharedGpu& gpu : node.shared)
    if (gpu.allocated > 0)
      list.push_back({gpu.group, std::max(0.0, 1 - static_cast<double>(gpu.allocated) /
                                                       static_cast<double>(node.gpu_memory))});
  return list;
}

IdVector<NodeId, std::size_t> pods_per_node(const Cluster& cluster) {
  IdVector<NodeId, std::size_t> pods(cluster.nodes().size(), 0);
  for (TaskId t : ids(cluster.tasks()))
    if (const Placement& at = cluster.placement(t);
        cluster.task(t).alive && at.node.valid() && in(at.status, kActiveUsed))
      ++pods[at.node];
  return pods;
}

IdVector<NodeId, std::optional<double>> fragmented_per_node(const Cluster& cluster, const Decisions& last) {
  IdVector<NodeId, std::optional<double>> fragmented(cluster.nodes().size());
  for (const NodeFragments& of_node : last.fragments) fragmented[of_node.node] = of_node.gpus.fragmented;
  return fragmented;
}

double devices(std::int64_t units) { return static_cast<double>(units) / static_cast<double>(kOneGpu); }

}  // namespace

std::vector<NodeState> node_states(const Cluster& cluster, const Decisions& last) {
  const auto pods = pods_per_node(cluster);
  const auto fragmented = fragmented_per_node(cluster, last);
  std::vector<NodeState> stands;
  for (NodeId n : cluster.nodes_by_name())
    stands.push_back({.node = n,
                      .gpus = devices(cluster.allocatable().at(kGpu, n)),
                      .gpus_free = devices(cluster.idle().at(kGpu, n)),
                      .fragmented = fragmented[n],
                      .shared = shared_of(cluster.node(n)),
                      .pods = pods[n],
                      .conditions = conditions_of(cluster.node(n))});
  return stands;
}

}  // namespace muster::report
