// The gate and the victim filter of reclaim, which look at queues alone, and proofs of impossibility from the
// same bounds.
#include "plugins/proportion/reclaim.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fairshare/fairshare.hpp"

namespace muster::plugins {

using fairshare::kUnlimited;

bool ReclaimRules::may_reclaim(JobId id) const {
  const Job& job = cluster_.job(id);
  const QueueUse& use = cluster_.use(job.queue);
  const bool has_victims = is_within_share(id) || some_victim_has_no_queue();
  const auto core = session_.core_part(id, session_.chunk(id).tasks);
  return has_victims && (core.empty() || is_within_quota(job.queue, use.non_preemptible,
                                                         session_.demand(core, cluster_.smallest_gpu())));
}

// With KAI's rules, a job without a queue is never a victim. Reclaim must then not try a job that is above
// its share: its failure would keep jobs like it from being tried.
bool ReclaimRules::some_victim_has_no_queue() const {
  return cluster_.options().compatibility.charge_until_gone &&
         cluster_.use(cluster_.queue_tree().no_queue()).allocated != Charge{};
}

bool ReclaimRules::is_within_share(JobId id) const {
  const QueueId queue = cluster_.job(id).queue;
  const Demand& requested = session_.chunk(id).wanted;
  return all_resources([&](Accounted r) {
    return requested.with(cluster_.use(queue).allocated, r) <= shares_.fair(queue)[index(r)];
  });
}

bool ReclaimRules::is_within_quota(QueueId q, const Charge& held, const Demand& requested) const {
  const Queue& queue = cluster_.queue(q);
  return all_resources([&](Accounted r) {
    return queue.of(r).quota == kUnlimited || requested.with(held, r) <= queue.of(r).quota;
  });
}

bool ReclaimRules::exceeds_allocatable(QueueId q, const Charge& held) const {
  return any_resource([&](Accounted r) {
    const double bound = shares_.allocatable(q, r);
    return bound != kUnlimited && held.share(r) > bound;
  });
}

bool ReclaimRules::exceeds_quota(QueueId q, const Charge& held) const {
  return any_resource([&](Accounted r) {
    const double quota = cluster_.queue(q).of(r).quota;
    return quota != kUnlimited && held.share(r) > quota;
  });
}

bool ReclaimRules::may_take_from(JobId id, QueueId leaf) const {
  if (leaf == cluster_.queue_tree().no_queue()) return true;
  if (!is_within_share(id)) return false;
  const Demand& requested = session_.chunk(id).wanted;
  const auto [mine, theirs] = leveled_pair(cluster_, cluster_.job(id).queue, leaf);
  const Charge& held = cluster_.use(theirs).allocated;
  if (!is_within_quota(mine, cluster_.use(mine).allocated, requested))
    return exceeds_allocatable(theirs, held);
  bool below = false;
  for (Accounted r : kAccounted) {
    const double quota = cluster_.queue(theirs).of(r).quota;
    if (requested.share(r) <= 0 || quota == kUnlimited) continue;
    if (held.share(r) > quota) return true;
    below = below || held.share(r) < quota;
  }
  return !below;  // exactly at its quota: its jobs may still be moved
}

// ---------------------------------------------------------------- proofs of impossibility

// The most GPUs, in thousandths, that reclaim may take below the queue: down to its share or quota, and then
// one portion more. Returns nothing if no bound is known because another resource is over its share.
std::optional<std::int64_t> ReclaimRules::most_to_take(QueueId q, bool fits_quota,
                                                       std::int64_t largest) const {
  const Charge& held = cluster_.use(q).allocated;
  std::int64_t most = 0;
  for (Accounted r : kAccounted)
    for (const double bound :
         {shares_.allocatable(q, r), fits_quota ? cluster_.queue(q).of(r).quota : kUnlimited}) {
      if (bound == kUnlimited || held.share(r) <= bound) continue;
      if (r != Accounted::kGpus) return std::nullopt;
      const double over = (held.share(r) - bound) * static_cast<double>(kOneGpu);
      most = std::max(most, static_cast<std::int64_t>(std::ceil(over)) - 1 + largest);
    }
  return most;
}

// Leaves come depth first, so those of one queue are adjacent.
absl::InlinedVector<ReclaimRules::Source, 16> ReclaimRules::sources_of(const Shortage& shortage) const {
  absl::InlinedVector<Source, 16> sources;
  const QueueId ours = cluster_.job(shortage.preemptor).queue;
  const Demand& requested = shortage.wanted;
  for (const auto& [leaf, largest] : shortage.sources) {
    const auto [mine, theirs] = leveled_pair(cluster_, ours, leaf);
    if (sources.empty() || sources.back().queue != theirs)
      sources.push_back({theirs, is_within_quota(mine, cluster_.use(mine).allocated, requested), largest});
    else
      sources.back().largest = std::max(sources.back().largest, largest);
  }
  return sources;
}

std::optional<JobReason> ReclaimRules::too_much(const Shortage& shortage) const {
  std::int64_t most = 0, most_of_one = -1;
  JobReason reason{.rule = JobRule::kSharesInTheWay, .resource = Accounted::kGpus};
  for (const auto& [queue, fits_quota, largest] : sources_of(shortage)) {
    const auto from_here = most_to_take(queue, fits_quota, largest);
    if (!from_here) return std::nullopt;
    most += *from_here;
    if (std::exchange(most_of_one, std::max(most_of_one, *from_here)) < *from_here) reason.queue = queue;
  }
  if (most >= shortage.gpus) return std::nullopt;
  reason.wanted = static_cast<double>(shortage.gpus) / static_cast<double>(kOneGpu);
  reason.bound = static_cast<double>(most + 1) / static_cast<double>(kOneGpu);
  if (reason.queue.valid()) reason.held = cluster_.use(reason.queue).allocated.share(Accounted::kGpus);
  return reason;
}

}  // namespace muster::plugins
