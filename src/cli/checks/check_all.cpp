// The order in which the checks speak, and what is missing altogether.
#include <algorithm>

#include "cli/checks/checks.hpp"
#include "cli/report/job_state.hpp"

namespace muster::cli {

std::vector<ObjectWarning> check_all(const Checked& checked) {
  Warnings warnings;
  check_amounts(checked, warnings);
  check_runtimes(checked, warnings);
  check_jobs(checked, warnings);
  check_nodes(checked, warnings);
  return warnings.take();
}

std::string nothing_to_schedule(const Cluster& cluster) {
  if (present_jobs(cluster).empty())
    return "nothing to schedule: no PodGroup, no workload and no pod for this scheduler is in these files";
  if (cluster.nodes_by_name().empty()) return "nothing can be placed: no node is in these files";
  if (std::ranges::none_of(cluster.queues(), &Queue::present))
    return "nothing can be placed: no queue is in these files";
  return "";
}

}  // namespace muster::cli
