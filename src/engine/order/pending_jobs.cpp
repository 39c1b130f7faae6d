// The waiting jobs of an action.
#include "engine/order/pending_jobs.hpp"

#include <algorithm>

#include "engine/order/readiness.hpp"

namespace muster {

std::optional<TimePoint> delayed_until(const Session& s, JobId id) {
  const Job& job = s.cluster.job(id);
  if (!job.preemption_delay || *job.preemption_delay <= Duration::zero()) return std::nullopt;
  const TimePoint end =
      std::max(job.created, job.last_eviction.value_or(job.created)) + *job.preemption_delay;
  return s.now < end ? std::optional(end) : std::nullopt;
}

std::vector<JobId> waiting_by_age(const Session& s) {
  std::vector<JobId> jobs(s.cluster.pending_jobs().begin(), s.cluster.pending_jobs().end());
  std::sort(jobs.begin(), jobs.end(),
            [&](JobId a, JobId b) { return is_older(s.cluster.job(a), s.cluster.job(b)); });
  return jobs;
}

namespace {

// The order of filling matters where queues tie; by age it is always the same.
template <class Keep>
JobOrder ordered(Session& s, const std::string& action, Keep keep) {
  std::vector<JobId> jobs = waiting_by_age(s);
  std::erase_if(jobs, [&](JobId j) { return why_not_considered(s.cluster, j) || !keep(j); });
  const auto depth = s.settings.queue_depth.find(action);
  const bool limited = depth != s.settings.queue_depth.end() && depth->second >= 0;
  JobOrder order(s, limited ? std::optional(depth->second) : std::nullopt);
  for (JobId j : jobs) order.push(j);
  return order;
}

}  // namespace

JobOrder pending_jobs(Session& s, const std::string& action) {
  return ordered(s, action, [](JobId) { return true; });
}

JobOrder contenders(Session& s, const std::string& action, bool preemptible_only) {
  return ordered(s, action, [&](JobId j) {
    if (preemptible_only && !s.core_part(j, s.chunk(j, true).tasks).empty()) return false;
    const auto until = delayed_until(s, j);
    if (until) s.adds_reason(j, {.rule = JobRule::kPreemptionDelay, .until = until});
    return !until;
  });
}

}  // namespace muster
