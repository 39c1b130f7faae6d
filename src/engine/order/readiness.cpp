// Which jobs a cycle considers.
#include "engine/order/readiness.hpp"

namespace muster {
namespace {

// The first pod set that keeps the tree from being ready.
JobReason missing_tasks(const Job& job) {
  JobReason reason{.rule = JobRule::kNotReady, .is_gang = true};
  for (const PodSet& p : job.pod_sets) {
    if (p.is_ready()) continue;
    reason.placed = p.counts.in(kAlive)-p.counts.of(TaskStatus::kGated);
    reason.needed = p.minimum;
    reason.pod_set = job.pod_sets.size() > 1 ? p.name : "";
    if (p.counts.of(TaskStatus::kGated) > 0) reason.rule = JobRule::kGatedTasks;
    break;
  }
  return reason;
}

}  // namespace

std::optional<JobReason> why_not_considered(const Cluster& cluster, JobId id) {
  const Job& job = cluster.job(id);
  if (!job.queue.valid() || !cluster.queue(job.queue).usable)
    return JobReason{.rule = JobRule::kQueueMissing, .queue = job.queue, .name = job.queue_name};
  if (!cluster.queue(job.queue).is_leaf())
    return JobReason{.rule = JobRule::kQueueNotLeaf, .queue = job.queue, .name = job.queue_name};
  if (job.backed_off) return JobReason{.rule = JobRule::kBackedOff};
  if (!is_ready(job)) return missing_tasks(job);
  return std::nullopt;
}

}  // namespace muster
