// The rules of reclaim.
#include "plugins/proportion/reclaim.hpp"

#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "fairshare/fairshare.hpp"

namespace muster::plugins {
namespace {

constexpr double kUnlimited = fairshare::kUnlimited;

double ratio(double amount, double share) {
  if (share == 0) return amount > 0 ? std::numeric_limits<double>::infinity() : 0;
  return share == kUnlimited ? 0 : amount / share;
}

template <class Claim>
bool all_resources(Claim claim) {
  return std::all_of(kAccounted.begin(), kAccounted.end(), claim);
}
template <class Claim>
bool any_resource(Claim claim) {
  return std::any_of(kAccounted.begin(), kAccounted.end(), claim);
}

}  // namespace

// ---------------------------------------------------------------- gate and filter

bool ReclaimRules::may_reclaim(JobId id) const {
  const Job& job = cluster_.job(id);
  const Demand& wanted = session_.chunk(id).wanted;
  const QueueUse& use = cluster_.use(job.queue);
  const bool within_share = all_resources(
      [&](Accounted r) { return wanted.with(use.allocated, r) <= shares_.fair(job.queue)[index(r)]; });
  const auto core = session_.core_part(id, session_.chunk(id).tasks);
  return within_share && (core.empty() || is_within_quota(job.queue, use.non_preemptible,
                                                          session_.demand(core, cluster_.smallest_gpu())));
}

bool ReclaimRules::is_within_quota(QueueId q, const Charge& held, const Demand& wanted) const {
  const Queue& queue = cluster_.queue(q);
  return all_resources([&](Accounted r) {
    return queue.of(r).quota == kUnlimited || wanted.with(held, r) <= queue.of(r).quota;
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

// The first queues from the top on both sides that are not the same.
std::pair<QueueId, QueueId> ReclaimRules::leveled_pair(QueueId a, QueueId b) const {
  while (cluster_.queue(a).depth > cluster_.queue(b).depth) a = cluster_.queue(a).parent;
  while (cluster_.queue(b).depth > cluster_.queue(a).depth) b = cluster_.queue(b).parent;
  while (a != b && cluster_.queue(a).parent != cluster_.queue(b).parent)
    a = cluster_.queue(a).parent, b = cluster_.queue(b).parent;
  return {a, b};
}

bool ReclaimRules::may_take_from(JobId id, QueueId leaf) const {
  const Demand& wanted = session_.chunk(id).wanted;
  const auto [mine, theirs] = leveled_pair(cluster_.job(id).queue, leaf);
  const Charge& held = cluster_.use(theirs).allocated;
  if (!is_within_quota(mine, cluster_.use(mine).allocated, wanted)) return exceeds_allocatable(theirs, held);
  bool below = false;
  for (Accounted r : kAccounted) {
    const double quota = cluster_.queue(theirs).of(r).quota;
    if (wanted.share(r) <= 0 || quota == kUnlimited) continue;
    if (held.share(r) > quota) return true;
    below = below || held.share(r) < quota;
  }
  return !below;  // exactly at its quota: its jobs may still be moved
}

// ---------------------------------------------------------------- a proof of no

// GPUs that may be taken below the queue at most, in thousandths: down to its share or quota, and then one
// portion more. Nothing: no bound is known, because another resource is over.
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

std::optional<JobReason> ReclaimRules::too_much(const Shortage& shortage) const {
  struct Source {
    QueueId queue;
    bool fits_quota;
    std::int64_t largest;
  };
  absl::InlinedVector<Source, 16> sources;  // the queues beside the contender's path
  const QueueId ours = cluster_.job(shortage.contender).queue;
  const Demand& wanted = session_.chunk(shortage.contender).wanted;
  for (const auto& [leaf, largest] : shortage.sources) {
    const auto [mine, theirs] = leveled_pair(ours, leaf);
    const auto known =
        std::find_if(sources.begin(), sources.end(), [&](const Source& s) { return s.queue == theirs; });
    if (known == sources.end())
      sources.push_back({theirs, is_within_quota(mine, cluster_.use(mine).allocated, wanted), largest});
    else
      known->largest = std::max(known->largest, largest);
  }
  std::int64_t most = 0, most_of_one = -1;
  JobReason reason{.rule = JobRule::kSharesInTheWay, .resource = Accounted::kGpus};
  for (const auto& [queue, fits_quota, largest] : sources) {
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

std::string_view ReclaimRules::ground(JobId contender, QueueId leaf) const {
  const QueueId theirs = leveled_pair(cluster_.job(contender).queue, leaf).second;
  return exceeds_allocatable(theirs, before_[theirs].allocated)
             ? "its queue is above its fair share"
             : "its queue is above its quota, and ours within";
}

// ---------------------------------------------------------------- validation

// The contender's tasks are placed when a scenario is judged, so what they add to its core is noted here.
void ReclaimRules::search_begins(JobId contender) {
  const auto core = session_.core_part(contender, session_.chunk(contender).tasks);
  core_tasks_.clear();
  core_tasks_.insert(core.begin(), core.end());
  before_.resize(cluster_.queues().size());
  for (QueueId q : ids(cluster_.queues())) before_[q] = cluster_.use(q);
}

bool ReclaimRules::is_valid(const Scenario& scenario) {
  const Demand wanted = session_.demand(scenario.contender_tasks, cluster_.smallest_gpu());
  core_part_.clear();
  for (TaskId t : scenario.contender_tasks)
    if (core_tasks_.contains(t)) core_part_.push_back(t);
  has_core_ = !core_part_.empty();
  core_ = session_.demand(core_part_, cluster_.smallest_gpu());
  losses_.assign(cluster_.queues().size(), {});
  losers_.clear();
  collect_portions(scenario);
  return strategies_hold(cluster_.job(scenario.contender).queue, wanted) &&
         stays_within_bounds(scenario, wanted);
}

// Of the tasks taken from each pod set the first ones, up to its minimum, are core.
void ReclaimRules::collect_portions(const Scenario& scenario) {
  portions_.clear();
  for (const Scenario::Victim& victim : scenario.victims) {
    const Job& job = cluster_.job(victim.job);
    core_part_.clear();
    taken_.assign(job.pod_sets.size(), 0);
    for (TaskId t : victim.tasks) {
      const std::uint32_t set = cluster_.task(t).pod_set;
      if (taken_[set]++ < job.pod_sets[set].minimum)
        core_part_.push_back(t);
      else
        add_portion(job.queue, {&t, 1});
    }
    add_portion(job.queue, core_part_);
  }
}

void ReclaimRules::add_portion(QueueId leaf, std::span<const TaskId> tasks) {
  Portion portion{.leaf = leaf};
  bool any = false;
  for (TaskId t : tasks) {
    const Placement& at = cluster_.placement(t);
    const bool placed_again = in(at.status, kActiveAllocated);
    if (placed_again && session_.settings.allow_consolidating_reclaim) continue;
    portion.amount += cluster_.accepted(cluster_.shape_of(t), at.leaving.valid() ? at.leaving : at.node);
    any = true;
  }
  if (any) portions_.push_back(portion);
}

ReclaimRules::Loss& ReclaimRules::loss_of(QueueId q) {
  Loss& loss = losses_[q];
  if (!loss.any) {
    loss.any = true;
    loss.remaining = before_[q].allocated;
    losers_.push_back(q);
  }
  return loss;
}

// Before each portion is taken, its queue must be above its share, or above its quota while ours stays within
// its.
bool ReclaimRules::strategies_hold(QueueId contender, const Demand& wanted) {
  absl::InlinedVector<std::pair<QueueId, std::array<bool, 3>>, 8> involved;  // by leaf, all its portions
  for (const Portion& p : portions_) {
    auto at =
        std::find_if(involved.begin(), involved.end(), [&](const auto& i) { return i.first == p.leaf; });
    if (at == involved.end()) at = involved.insert(at, {p.leaf, {}});
    for (std::size_t r = 0; r < 3; ++r) at->second[r] = at->second[r] || p.amount.units[r] > 0;
  }
  for (const auto& [leaf, resources] : involved) {
    const auto [mine, theirs] = leveled_pair(contender, leaf);
    const bool fits_quota = is_within_quota(mine, before_[mine].allocated, wanted);
    for (const Portion& p : portions_) {
      if (p.leaf != leaf) continue;
      const Charge& held = loss_of(theirs).remaining;
      if (!exceeds_allocatable(theirs, held) && !(fits_quota && exceeds_quota(theirs, held))) return false;
      for (QueueId q = leaf; q.valid(); q = cluster_.queue(q).parent) {
        Loss& loss = loss_of(q);
        loss.remaining -= p.amount;
        for (std::size_t r = 0; r < 3; ++r) loss.involved[r] = loss.involved[r] || resources[r];
      }
    }
  }
  return true;
}

// At no level may the contender's queue end up over its share and as saturated as one it took from.
bool ReclaimRules::stays_within_bounds(const Scenario& scenario, const Demand& wanted) const {
  const Job& job = cluster_.job(scenario.contender);
  for (QueueId q = job.queue; q.valid(); q = cluster_.queue(q).parent) {
    for (QueueId s : losers_)
      if (s != q && cluster_.queue(s).parent == cluster_.queue(q).parent && is_saturated(q, s, wanted))
        return false;
    if (has_core_ && !is_within_quota(q, before_[q].non_preemptible, core_)) return false;
  }
  return true;
}

bool ReclaimRules::is_saturated(QueueId q, QueueId sibling, const Demand& wanted) const {
  return any_resource([&](Accounted r) {
    if (!losses_[sibling].involved[index(r)] && wanted.share(r) <= 0) return false;
    const double mine = ratio(wanted.with(remaining(q), r), shares_.fair(q)[index(r)]);
    const double their_share = shares_.fair(sibling)[index(r)];
    return mine > 1 && their_share > 0 &&
           mine * multiplier_ >= ratio(remaining(sibling).share(r), their_share);
  });
}

}  // namespace muster::plugins
