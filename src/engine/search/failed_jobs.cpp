// Of the like jobs that failed the one that asks for least stands for all.
#include "engine/search/failed_jobs.hpp"

#include <algorithm>

#include "engine/search/signatures.hpp"

namespace muster {
namespace {

bool no_larger(const std::array<std::int64_t, 4>& a, const std::array<std::int64_t, 4>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] > b[i]) return false;
  return true;
}

}  // namespace

std::vector<FailedJobs::Amounts> FailedJobs::pending_requests(JobId id) const {
  const Cluster& c = session_.cluster;
  std::vector<Amounts> requests;
  for (const PodSet& p : c.job(id).pod_sets)
    for (TaskId t : p.tasks)
      if (c.placement(t).status == TaskStatus::kPending) {
        const Shape& shape = c.shape_of(t);
        requests.push_back(
            {shape.charge.units[0], shape.charge.units[1], shape.charge.units[2], shape.gpu.memory_mib});
      }
  std::sort(requests.begin(), requests.end());
  return requests;
}

JobId FailedJobs::covering(QueueId pool, JobId job) const {
  if (smallest_.empty()) return {};
  const auto found = smallest_.find({pool, session_.signatures().of(job)});
  if (found == smallest_.end()) return {};
  const auto mine = pending_requests(job);
  const auto& [other, theirs] = found->second;
  if (mine.empty() || theirs.empty()) return other;
  if (mine.size() < theirs.size()) return {};
  for (std::size_t i = 0; i < theirs.size(); ++i)
    if (no_larger(mine[i], theirs[i]) && mine[i] != theirs[i]) return {};
  return other;
}

void FailedJobs::add(QueueId pool, JobId job) {
  if (!session_.settings.use_signatures) return;
  auto mine = pending_requests(job);
  const auto [at, is_new] = smallest_.try_emplace({pool, session_.signatures().of(job)});
  const auto& theirs = at->second.requests;
  const auto easier = [&] {
    if (mine.size() > theirs.size()) return false;
    for (std::size_t i = 0; i < mine.size(); ++i)
      if (!no_larger(mine[i], theirs[i])) return false;
    return true;
  };
  if (is_new || easier()) at->second = {job, std::move(mine)};
}

}  // namespace muster
