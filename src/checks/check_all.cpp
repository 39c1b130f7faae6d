// The order of the checks, and warnings about what is missing altogether.
#include <fmt/format.h>

#include <algorithm>

#include "checks/checks.hpp"

namespace muster::checks {
namespace {

std::vector<JobId> present_jobs(const Cluster& cluster) {
  std::vector<JobId> jobs;
  for (JobId j : ids(cluster.jobs()))
    if (cluster.job(j).present) jobs.push_back(j);
  return jobs;
}

}  // namespace

std::vector<ObjectWarning> check_all(const Checked& checked) {
  const Cluster& cluster = checked.cluster;
  Warnings warnings;
  for (const Queue& queue : cluster.queues()) check_amounts(checked, queue, warnings);
  check_top_quotas(checked, warnings);
  for (const Queue& queue : cluster.queues()) check_runtimes(checked, queue, warnings);
  std::vector<JobId> jobs = present_jobs(cluster);
  std::ranges::sort(jobs, {}, [&](JobId j) { return cluster.job(j).full_name(); });
  for (JobId j : jobs) check_job(checked, cluster.job(j), warnings);
  check_members(checked, warnings);
  check_sizes(checked, warnings);
  for (NodeId n : cluster.nodes_by_name()) check_node(checked, n, warnings);
  check_missing_nodes(checked, warnings);
  return warnings.take();
}

std::string nothing_to_schedule(const Checked& checked) {
  const Cluster& cluster = checked.cluster;
  if (present_jobs(cluster).empty())
    return fmt::format("nothing to schedule: found no PodGroup, workload or pod for this scheduler {}",
                       checked.where);
  if (cluster.nodes_by_name().empty())
    return fmt::format("nothing can be placed: found no node {}", checked.where);
  if (std::ranges::none_of(cluster.queues(), &Queue::present))
    return fmt::format("nothing can be placed: found no queue {}", checked.where);
  return "";
}

}  // namespace muster::checks
