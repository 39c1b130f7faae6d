// Finds nodes whose pods use more than they have, and pods on missing nodes.
#include <fmt/format.h>

#include <map>

#include "checks/checks.hpp"
#include "model/reason_text.hpp"
#include "util/words.hpp"

namespace muster::checks {
namespace {

// Returns "15 GPUs of 8 GPUs" for the first kind that is over-committed, or "".
std::string overdraft_of(const Cluster& cluster, NodeId n) {
  const NodeTable& nodes = cluster.node_table();
  for (Kind kind : nodes.allocatable().offered()) {
    if (nodes.idle().at(kind, n) >= 0) continue;
    const std::int64_t all = nodes.allocatable().at(kind, n);
    return fmt::format("{} of {}", amount_text(cluster, kind, all - nodes.idle().at(kind, n)),
                       amount_text(cluster, kind, all));
  }
  return "";
}

}  // namespace

void check_node(const Checked& checked, NodeId node, Warnings& warnings) {
  const Cluster& cluster = checked.cluster;
  const std::string overdraft = cluster.node(node).present ? overdraft_of(cluster, node) : "";
  if (!overdraft.empty())
    warnings.add(
        "Node " + cluster.node(node).name, "status.allocatable",
        fmt::format("is over-committed: its pods use {}; no pod is placed there until they fit", overdraft));
}

void check_missing_nodes(const Checked& checked, Warnings& warnings) {
  const Cluster& cluster = checked.cluster;
  if (cluster.nodes_by_name().empty()) return;
  std::map<std::string, std::vector<TaskId>> on_missing;
  for (TaskId t : ids(cluster.tasks())) {
    const Placement& at = cluster.placement(t);
    if (cluster.task(t).alive && at.node.valid() && !cluster.node(at.node).present &&
        in(at.status, kActiveUsed))
      on_missing[cluster.node(at.node).name].push_back(t);
  }
  for (const auto& [node, pods] : on_missing)
    warnings.add(
        "Pod " + cluster.task(pods.front()).full_name(), "spec.nodeName",
        fmt::format("node \"{}\" is not {}, or belongs to another node pool{}", node, checked.where,
                    pods.size() == 1 ? "" : fmt::format(" (and {})", counted(pods.size() - 1, "more pod"))));
}

}  // namespace muster::checks
