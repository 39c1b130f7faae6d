// Finds minimum runtimes without effect, or with less effect than expected. Reclaim with method lca uses the
// queue just below the common ancestor, then those above it; preempt uses the victim's own queue first.
#include <fmt/format.h>

#include <algorithm>

#include "checks/checks.hpp"

namespace muster::checks {
namespace {

bool sets_own_preempt(const Cluster& cluster, QueueId id) {
  const Queue& queue = cluster.queue(id);
  if (queue.preempt_min_runtime) return true;
  return !queue.is_leaf() && std::all_of(queue.children.begin(), queue.children.end(),
                                         [&](QueueId child) { return sets_own_preempt(cluster, child); });
}

void check_preempt(const Cluster& cluster, const Queue& queue, Warnings& warnings) {
  if (!queue.preempt_min_runtime || queue.is_leaf()) return;
  const bool is_hidden = std::all_of(queue.children.begin(), queue.children.end(),
                                     [&](QueueId child) { return sets_own_preempt(cluster, child); });
  if (is_hidden)
    warnings.add("Queue " + queue.name, "spec.preemptMinRuntime",
                 "has no effect: every queue below sets its own");
}

const Queue* nearest_with_reclaim(const Cluster& cluster, QueueId from) {
  for (QueueId q = from; q.valid(); q = cluster.queue(q).parent)
    if (cluster.queue(q).reclaim_min_runtime) return &cluster.queue(q);
  return nullptr;
}

void check_reclaim(const Cluster& cluster, const Queue& queue, Warnings& warnings) {
  if (!queue.reclaim_min_runtime || !queue.parent.valid()) return;
  const Queue& parent = cluster.queue(queue.parent);
  if (queue.is_leaf() && parent.children.size() == 1)
    return warnings.add(
        "Queue " + queue.name, "spec.reclaimMinRuntime",
        fmt::format("has no effect: under reclaimResolveMethod lca it applies only against other "
                    "queues of {}, and there are none",
                    parent.name));
  const Queue* above = nearest_with_reclaim(cluster, queue.parent);
  if (above == nullptr || *above->reclaim_min_runtime == *queue.reclaim_min_runtime) return;
  warnings.add(
      "Queue " + queue.name, "spec.reclaimMinRuntime",
      fmt::format("{} applies only against queues of {}; against all others, the {} of queue {} or a queue "
                  "above it applies (reclaimResolveMethod lca)",
                  format_duration(*queue.reclaim_min_runtime), parent.name,
                  format_duration(*above->reclaim_min_runtime), above->name));
}

}  // namespace

void check_runtimes(const Checked& checked, const Queue& queue, Warnings& warnings) {
  if (!queue.usable) return;
  check_preempt(checked.cluster, queue, warnings);
  if (checked.reclaims_by_lca) check_reclaim(checked.cluster, queue, warnings);
}

}  // namespace muster::checks
