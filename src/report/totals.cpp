// Sums over all jobs and nodes.
#include "report/totals.hpp"

#include "report/job_state.hpp"

namespace muster::report {

Waiting waiting_totals(const Cluster& cluster) {
  Waiting sum;
  for (const Job& job : cluster.jobs()) {
    if (!job.present || !is_waiting(job)) continue;
    ++sum.jobs;
    sum.pods +=
        static_cast<std::size_t>(job.counts.of(TaskStatus::kPending) + job.counts.of(TaskStatus::kGated));
  }
  return sum;
}

GpuTotals gpu_totals(const Cluster& cluster) {
  std::int64_t all = 0, idle = 0;
  for (NodeId n : cluster.nodes_by_name()) {
    all += cluster.allocatable().at(kGpu, n);
    idle += cluster.idle().at(kGpu, n);
  }
  const auto one = static_cast<double>(kOneGpu);
  return {.all = static_cast<double>(all) / one, .in_use = static_cast<double>(all - idle) / one};
}

}  // namespace muster::report
