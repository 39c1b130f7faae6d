// Splits a scenario into portions. The queues must allow each portion to be taken, and stay in proportion.
#include "plugins/proportion/reclaim_judge.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "fairshare/fairshare.hpp"

namespace muster::plugins {
namespace {

double ratio(double amount, double share) {
  if (share == 0) return amount > 0 ? std::numeric_limits<double>::infinity() : 0;
  return share == fairshare::kUnlimited ? 0 : amount / share;
}

}  // namespace

std::string_view ReclaimJudge::ground(JobId preemptor, QueueId leaf) const {
  const QueueId theirs = leveled_pair(cluster_, cluster_.job(preemptor).queue, leaf).second;
  return rules_.exceeds_allocatable(theirs, before_[theirs].allocated)
             ? "its queue is above its fair share"
             : "its queue exceeds its quota, the reclaiming queue does not";
}

// When a scenario is judged, the preemptor's tasks are placed already, so its core tasks are recorded here.
void ReclaimJudge::begin_search(JobId preemptor) {
  const auto core = session_.core_part(preemptor, session_.chunk(preemptor).tasks);
  core_tasks_.clear();
  core_tasks_.insert(core.begin(), core.end());
  before_.resize(cluster_.queues().size());
  for (QueueId q : ids(cluster_.queues())) before_[q] = cluster_.use(q);
}

bool ReclaimJudge::is_valid(const Scenario& scenario) {
  const Demand requested = session_.demand(scenario.preemptor_tasks, cluster_.smallest_gpu());
  core_part_.clear();
  for (TaskId t : scenario.preemptor_tasks)
    if (core_tasks_.contains(t)) core_part_.push_back(t);
  has_core_ = !core_part_.empty();
  core_ = session_.demand(core_part_, cluster_.smallest_gpu());
  losses_.resize(cluster_.queues().size());
  for (QueueId q : losers_) losses_[q] = {};
  losers_.clear();
  collect_portions(scenario);
  return strategies_allow(cluster_.job(scenario.preemptor).queue, requested) &&
         stays_within_bounds(scenario, requested);
}

bool ReclaimJudge::is_entitled(JobId preemptor, JobId victim) {
  const QueueId leaf = cluster_.job(victim).queue;
  if (!session_.settings.compatibility.keep_entitled || leaf == cluster_.queue_tree().no_queue())
    return false;
  const auto held = [&](QueueId q) -> const Charge& { return cluster_.use(q).allocated; };
  return !entitled_.may_lose(victim, Entitlement::kShare) &&
         !(is_by_quota(preemptor, leaf, held) && entitled_.may_lose(victim, Entitlement::kQuota));
}

// Whether the preemptor's side stays within its quota while the other exceeds its own.
template <class Held>
bool ReclaimJudge::is_by_quota(JobId preemptor, QueueId leaf, const Held& held) const {
  const auto [mine, theirs] = leveled_pair(cluster_, cluster_.job(preemptor).queue, leaf);
  return rules_.exceeds_quota(theirs, held(theirs)) &&
         rules_.is_within_quota(mine, held(mine), session_.chunk(preemptor).wanted);
}

bool ReclaimJudge::keeps_entitled(const Scenario& scenario) {
  if (!session_.settings.compatibility.keep_entitled) return true;
  std::map<QueueId, std::vector<JobId>> losers;
  for (const Scenario::Victim& victim : scenario.victims)
    losers[cluster_.job(victim.job).queue].push_back(victim.job);
  losers.erase(cluster_.queue_tree().no_queue());
  const auto held = [&](QueueId q) -> const Charge& { return before_[q].allocated; };
  return std::ranges::all_of(losers, [&](const auto& entry) {
    const auto& [leaf, jobs] = entry;
    return entitled_.keeps(leaf, jobs, Entitlement::kShare) ||
           (is_by_quota(scenario.preemptor, leaf, held) && entitled_.keeps(leaf, jobs, Entitlement::kQuota));
  });
}

// The first tasks taken from each pod set, up to its minimum, are core tasks.
void ReclaimJudge::collect_portions(const Scenario& scenario) {
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

void ReclaimJudge::add_portion(QueueId leaf, std::span<const TaskId> tasks) {
  Portion portion{.leaf = leaf};
  bool any = false;
  for (TaskId t : tasks) {
    const Placement& at = cluster_.placement(t);
    const bool placed_again = in(at.status, kActiveAllocated);
    if (placed_again && session_.settings.allow_consolidating_reclaim) continue;
    portion.amount += cluster_.accepted(cluster_.shape_of(t), at.source.valid() ? at.source : at.node);
    any = true;
  }
  if (any) portions_.push_back(portion);
}

ReclaimJudge::Loss& ReclaimJudge::loss_of(QueueId q) {
  Loss& loss = losses_[q];
  if (!loss.any) {
    loss.any = true;
    loss.remaining = before_[q].allocated;
    losers_.push_back(q);
  }
  return loss;
}

// Sorts leaf by leaf, in the order in which the leaves first occur.
void ReclaimJudge::sort_portions() {
  leaf_positions_.clear();
  for (std::uint32_t i = 0; i < portions_.size(); ++i) {
    Portion& p = portions_[i];
    p.leaf_position = leaf_positions_.try_emplace(p.leaf, i).first->second;
    p.position = i;
  }
  std::ranges::sort(portions_, {}, [](const Portion& p) { return std::pair(p.leaf_position, p.position); });
}

// Before each portion is taken, its queue must exceed its share, or exceed its quota while the preemptor's
// queue stays within its own.
bool ReclaimJudge::strategies_allow(QueueId preemptor, const Demand& requested) {
  sort_portions();
  for (auto first = portions_.begin(); first != portions_.end();) {
    const auto end =
        std::find_if(first, portions_.end(), [&](const Portion& p) { return p.leaf != first->leaf; });
    std::array<bool, 3> resources{};  // of all portions of the leaf
    for (const Portion& p : std::span(first, end))
      for (std::size_t r = 0; r < 3; ++r) resources[r] = resources[r] || p.amount.units[r] > 0;
    const auto [mine, theirs] = leveled_pair(cluster_, preemptor, first->leaf);
    const bool fits_quota = rules_.is_within_quota(mine, before_[mine].allocated, requested);
    for (; first != end; ++first) {
      const Charge& held = loss_of(theirs).remaining;
      if (!rules_.exceeds_allocatable(theirs, held) && !(fits_quota && rules_.exceeds_quota(theirs, held)))
        return false;
      take_off(*first, resources);
    }
  }
  return true;
}

void ReclaimJudge::take_off(const Portion& portion, const std::array<bool, 3>& resources) {
  for (QueueId q = portion.leaf; q.valid(); q = cluster_.queue(q).parent) {
    Loss& loss = loss_of(q);
    loss.remaining -= portion.amount;
    for (std::size_t r = 0; r < 3; ++r) loss.involved[r] = loss.involved[r] || resources[r];
  }
}

// At no level may the preemptor's queue end up over its share and at least as saturated as a queue it took
// from.
bool ReclaimJudge::stays_within_bounds(const Scenario& scenario, const Demand& requested) const {
  const Job& job = cluster_.job(scenario.preemptor);
  for (QueueId q = job.queue; q.valid(); q = cluster_.queue(q).parent) {
    for (QueueId s : losers_)
      if (s != q && cluster_.queue(s).parent == cluster_.queue(q).parent && is_saturated(q, s, requested))
        return false;
    if (has_core_ && !rules_.is_within_quota(q, before_[q].non_preemptible, core_)) return false;
  }
  return true;
}

bool ReclaimJudge::is_saturated(QueueId q, QueueId sibling, const Demand& requested) const {
  return any_resource([&](Accounted r) {
    if (!losses_[sibling].involved[index(r)] && requested.share(r) <= 0) return false;
    const double mine = ratio(requested.with(remaining(q), r), shares_.fair(q)[index(r)]);
    const double their_share = shares_.fair(sibling)[index(r)];
    return mine > 1 && their_share > 0 &&
           mine * multiplier_ >= ratio(remaining(sibling).share(r), their_share);
  });
}

}  // namespace muster::plugins
