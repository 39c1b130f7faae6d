// Walks from the job's queue to the root and finds the first level whose bound would be exceeded.
#include "plugins/proportion/capacity.hpp"

#include "fairshare/fairshare.hpp"

namespace muster::plugins {
namespace {

// The first level, from the job's queue upward, where `held` plus the requested amount exceeds `bound`.
template <class Held, class Bound>
std::optional<JobReason> first_over(const Cluster& cluster, QueueId leaf, const Demand& requested,
                                    JobRule rule, Held held, Bound bound) {
  if (!leaf.valid() || !cluster.queue(leaf).usable) return std::nullopt;
  for (QueueId q = leaf; q.valid(); q = cluster.queue(q).parent) {
    for (Accounted r : kAccounted) {
      const double limit = bound(cluster.queue(q).of(r));
      if (requested.share(r) == 0 || limit == fairshare::kUnlimited) continue;
      const Charge& has = held(cluster.use(q));
      if (limit < requested.with(has, r))
        return JobReason{.rule = rule,
                         .queue = q,
                         .resource = r,
                         .wanted = requested.share(r),
                         .held = has.share(r),
                         .bound = limit};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<JobReason> Capacity::over(JobId job, const Demand& requested, const Demand& core) const {
  if (auto reason = over_limit(job, requested)) return reason;
  return over_quota(job, core);
}

std::optional<JobReason> Capacity::over_limit(JobId job, const Demand& requested) const {
  return first_over(
      cluster_, cluster_.job(job).queue, requested, JobRule::kOverLimit,
      [](const QueueUse& use) -> const Charge& { return use.allocated; },
      [](const QueueAmounts& amounts) { return amounts.limit; });
}

std::optional<JobReason> Capacity::over_quota(JobId job, const Demand& requested) const {
  return first_over(
      cluster_, cluster_.job(job).queue, requested, JobRule::kOverQuota,
      [](const QueueUse& use) -> const Charge& { return use.non_preemptible; },
      [](const QueueAmounts& amounts) { return amounts.quota; });
}

}  // namespace muster::plugins
