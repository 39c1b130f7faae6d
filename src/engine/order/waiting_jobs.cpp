// Decides which jobs a cycle considers, and the order in which an action serves them.
#include "engine/order/waiting_jobs.hpp"

#include <algorithm>

namespace muster {
namespace {

// The first pod set that keeps the tree from being ready.
JobReason missing_tasks(const Cluster& cluster, const Job& job) {
  JobReason reason{.rule = JobRule::kNotReady, .is_gang = true};
  for (const PodSet& p : job.pod_sets) {
    if (p.is_ready()) continue;
    reason.placed = p.counts.in(kAlive)-p.counts.of(TaskStatus::kGated);
    reason.needed = p.minimum;
    reason.pod_set = job.pod_sets.size() > 1 ? p.name : "";
    if (p.counts.of(TaskStatus::kGated) > 0) reason.rule = JobRule::kGatedTasks;
    break;
  }
  if (!job.outsiders.empty()) {
    reason.rule = JobRule::kUnknownSubGroup;
    reason.name = cluster.task(job.outsiders.front()).sub_group;
  }
  return reason;
}

// The end of the job's preemption delay, or nullopt if there is none or it is over.
std::optional<TimePoint> delayed_until(const Session& s, JobId id) {
  const Job& job = s.cluster.job(id);
  if (!job.preemption_delay || *job.preemption_delay <= Duration::zero()) return std::nullopt;
  const TimePoint end =
      std::max(job.created, job.last_eviction.value_or(job.created)) + *job.preemption_delay;
  return s.now < end ? std::optional(end) : std::nullopt;
}

// Returns false if there is none to report.
bool report_delay(Session& s, JobId id) {
  const auto until = delayed_until(s, id);
  s.wake_at(until);
  if (until) s.add_reason(id, {.rule = JobRule::kPreemptionDelay, .until = until});
  return until.has_value();
}

// Insertion order matters when queues tie; inserting by age makes it reproducible.
template <class Keep>
JobOrder ordered(Session& s, const std::string& action, Keep keep) {
  std::vector<JobId> jobs(s.waiting_by_age().begin(), s.waiting_by_age().end());
  std::erase_if(jobs, [&](JobId j) { return !keep(j); });
  const auto depth = s.settings.queue_depth.find(action);
  const bool limited = depth != s.settings.queue_depth.end() && depth->second >= 0;
  JobOrder order(s, limited ? std::optional(depth->second) : std::nullopt);
  for (JobId j : jobs) order.push(j);
  return order;
}

}  // namespace

std::optional<JobReason> why_not_considered(const Cluster& cluster, JobId id) {
  const Job& job = cluster.job(id);
  if (!job.is_in_named_queue) {
    const QueueId named = cluster.find_queue(job.queue_name);
    const bool exists = named.valid() && cluster.queue(named).usable;
    const JobRule rule = !exists                           ? JobRule::kQueueMissing
                         : !cluster.queue(named).is_leaf() ? JobRule::kQueueNotLeaf
                                                           : JobRule::kQueueClosed;
    return JobReason{.rule = rule, .queue = named, .name = job.queue_name};
  }
  if (job.backed_off) return JobReason{.rule = JobRule::kBackedOff};
  if (!is_ready(job)) return missing_tasks(cluster, job);
  return std::nullopt;
}

JobOrder waiting_jobs(Session& s, const std::string& action) {
  return ordered(s, action, [](JobId) { return true; });
}

JobOrder preemptors(Session& s, const std::string& action) {
  return ordered(s, action, [&](JobId j) { return !report_delay(s, j); });
}

JobOrder preemptible_preemptors(Session& s, const std::string& action) {
  return ordered(s, action,
                 [&](JobId j) { return s.core_part(j, s.chunk(j).tasks).empty() && !report_delay(s, j); });
}

}  // namespace muster
