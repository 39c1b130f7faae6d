// The waiting jobs of an action.
#include "engine/pending_jobs.hpp"

#include <algorithm>

#include "engine/readiness.hpp"

namespace muster {

JobOrder pending_jobs(Session& s, const std::string& action) {
  std::vector<JobId> jobs;
  for (JobId j : s.cluster.pending_jobs())
    if (!why_not_considered(s.cluster, j)) jobs.push_back(j);
  // The order of filling matters where queues tie; by creation time and uid it is always the same.
  std::sort(jobs.begin(), jobs.end(), [&](JobId a, JobId b) {
    const Job &x = s.cluster.job(a), &y = s.cluster.job(b);
    return x.created != y.created ? x.created < y.created : x.uid < y.uid;
  });
  const auto depth = s.settings.queue_depth.find(action);
  const bool limited = depth != s.settings.queue_depth.end() && depth->second >= 0;
  JobOrder order(s, limited ? std::optional(depth->second) : std::nullopt);
  for (JobId j : jobs) order.push(j);
  return order;
}

}  // namespace muster
