// Compares groups of similar pending jobs with the sum of free resources, and defers the jobs beyond that
// sum.
#include "answers/deferred_jobs.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "engine/cycle/session.hpp"
#include "engine/order/waiting_jobs.hpp"

namespace muster::answers {
namespace {

constexpr std::size_t kFewest = 4;  // shorter groups are not worth the effort
constexpr std::size_t kMostSpare = 256;

// Two jobs with equal keys have the same chances.
using Key = std::tuple<QueueId, std::int32_t, Preemptibility, std::int32_t, std::size_t, ShapeId, std::string,
                       std::string, std::string>;

bool has_history(const Job& job) {
  return job.requeued_at || job.preemption_delay || job.last_eviction || job.requeue_not_before ||
         !job.displaced_for_it.empty() || job.counts.in(kActiveUsed) > 0;
}

// Returns nothing if the job is unlike any other.
std::optional<Key> key_of(const Cluster& cluster, JobId id) {
  const Job& job = cluster.job(id);
  if (has_history(job) || job.pod_sets.size() != 1 || job.sets.size() != 1 || !job.outsiders.empty())
    return std::nullopt;
  const PodSet& set = job.pod_sets.front();
  if (set.tasks.empty() || set.minimum < 1 || why_not_considered(cluster, id)) return std::nullopt;
  const ShapeId shape = cluster.task(set.tasks.front()).shape;
  const auto is_plain = [&](TaskId t) {
    return cluster.task(t).shape == shape && cluster.placement(t).status == TaskStatus::kPending;
  };
  if (!std::ranges::all_of(set.tasks, is_plain)) return std::nullopt;
  const Shape& asks = cluster.shape(shape);
  if (asks.is_shared() || asks.is_mig() || !asks.claims.empty()) return std::nullopt;
  const TopologyConstraint& topology = job.sets.front().topology;
  return Key{job.queue, job.priority,      job.preemptibility, set.minimum,       set.tasks.size(),
             shape,     topology.topology, topology.required,  topology.preferred};
}

using FreeByKind = IdVector<Kind, std::int64_t>;

FreeByKind free_in(const Cluster& cluster) {
  FreeByKind free(cluster.kinds().size());
  for (Kind k : ids(free))
    for (NodeId n : cluster.nodes_by_name())
      free[k] += std::max<std::int64_t>(0, cluster.free_or_releasing(k, n));
  return free;
}

// The number of such jobs that would fit if all free resources were on one node.
std::size_t served_by(const FreeByKind& free, const Alike& group) {
  std::int64_t most = static_cast<std::int64_t>(group.jobs.size());
  for (const Amount& amount : group.request)
    if (amount.units > 0) most = std::min(most, free[amount.kind] / (amount.units * group.pods));
  return static_cast<std::size_t>(most);
}

}  // namespace

std::vector<Alike> lines_of(const Cluster& cluster) {
  std::map<Key, Alike> by_key;
  for (JobId j : cluster.pending_jobs())
    if (const auto key = key_of(cluster, j)) by_key[*key].jobs.push_back(j);
  std::vector<Alike> lines;
  for (auto& [key, line] : by_key) {
    if (line.jobs.size() < kFewest) continue;
    std::ranges::sort(line.jobs, {}, [&](JobId j) { return age(cluster.job(j)); });
    const PodSet& set = cluster.job(line.jobs.front()).pod_sets.front();
    line.request = cluster.shape_of(set.tasks.front()).request;
    line.pods = set.minimum;
    lines.push_back(std::move(line));
  }
  return lines;
}

DeferredJobs::DeferredJobs(const std::vector<Alike>& lines) : lines_(lines), views_(lines.size()) {
  for (const Alike& line : lines)
    for (JobId j : line.jobs) far_.insert(j);
}

const IdSet<JobId>& DeferredJobs::look(const Cluster& cluster) {
  if (far_.empty()) return far_;
  const FreeByKind free = free_in(cluster);
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const std::vector<JobId>& jobs = lines_[i].jobs;
    View& view = views_[i];
    while (view.served < view.seen && !cluster.job(jobs[view.served]).has_pending()) ++view.served;
    const bool were_all_served = view.seen > 0 && view.served == view.seen;
    view.spare = were_all_served ? std::min(2 * view.spare, kMostSpare) : 1;
    const std::size_t visible = std::min(jobs.size(), view.served + served_by(free, lines_[i]) + view.spare);
    for (; view.seen < visible; ++view.seen) far_.erase(jobs[view.seen]);
  }
  return far_;
}

}  // namespace muster::answers
