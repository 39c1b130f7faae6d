// Derives the state of each job from the cluster and the last round.
#include "report/job_state.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "util/names.hpp"

namespace muster::report {
namespace {

std::int32_t minimum_of(const Job& job, const Member& member) {
  if (member.is_pod_set) return job.pod_sets[member.at].declared;
  const GroupSet& set = job.sets[member.at];
  std::vector<std::int32_t> minima;
  for (const Member& m : set.members) minima.push_back(minimum_of(job, m));
  std::sort(minima.begin(), minima.end());
  const auto required = std::clamp<std::int64_t>(set.required(), 0, std::ssize(minima));
  return std::accumulate(minima.begin(), minima.begin() + required, std::int32_t{0});
}

std::map<JobId, const WaitingJob*> reported_in(const Round& last) {
  std::map<JobId, const WaitingJob*> reported;
  for (const WaitingJob& w : last.decisions.waiting) reported[w.job] = &w;
  return reported;
}

double gpus_of_task(const Cluster& cluster, TaskId task) {
  const Placement& at = cluster.placement(task);
  const Shape& shape = cluster.shape_of(task);
  if (!in(at.status, kAlive)) return 0;
  if (at.node.valid()) return cluster.accepted(shape, at.node).share(Accounted::kGpus);
  Demand wanted{.charge = shape.charge};
  if (cluster.smallest_gpu() > 0)
    wanted.gpus_by_memory =
        static_cast<double>(shape.gpu_memory) / static_cast<double>(cluster.smallest_gpu());
  return wanted.share(Accounted::kGpus);
}

}  // namespace

const char* status_of(const Job& job) {
  const std::int32_t active = job.counts.active_allocated();
  if (active > 0) return is_satisfied(job, Member{false, 0}) ? "Running" : "Incomplete";
  if (job.counts.in(kAlive) > 0) return is_ready(job) ? "Pending" : "NotReady";
  if (job.counts.in(kActiveUsed) > 0) return "Releasing";
  return job.counts.total() > 0 ? "Finished" : "NoPods";
}

double gpus_of(const Cluster& cluster, const Job& job) {
  double sum = 0;
  for (const PodSet& set : job.pod_sets)
    for (TaskId t : set.tasks) sum += gpus_of_task(cluster, t);
  return sum;
}

std::int32_t minimum_pods(const Job& job) { return minimum_of(job, Member{false, 0}); }

std::vector<JobId> present_jobs(const Cluster& cluster) {
  std::vector<JobId> jobs;
  for (JobId j : ids(cluster.jobs()))
    if (cluster.job(j).present) jobs.push_back(j);
  return sorted_by_name(jobs, [&](JobId j) { return cluster.job(j).full_name(); });
}

std::vector<WaitingJob> waiting_after(const Cluster& cluster, const Round& last) {
  const auto reported = reported_in(last);
  std::vector<WaitingJob> waiting;
  for (JobId j : present_jobs(cluster)) {
    if (!is_waiting(cluster.job(j))) continue;
    const auto found = reported.find(j);
    waiting.push_back(answers::reasons_of(cluster, j, found == reported.end() ? nullptr : found->second));
  }
  return waiting;
}

}  // namespace muster::report
