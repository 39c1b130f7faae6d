// Protects jobs from eviction until their minimum runtime has passed. Elastic jobs may still lose the pods
// beyond their minimum.
#include "plugins/min_runtime.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "engine/cycle/session.hpp"

namespace muster::plugins {
namespace {

constexpr const char* kRule = "minimum runtime";

using Field = std::optional<Duration> Queue::*;

// True if some sub group has more active tasks than its minimum. KAI counts tasks of any status.
bool is_elastic(const Job& job, bool by_active) {
  if (!by_active) return job.is_elastic();
  return std::any_of(job.pod_sets.begin(), job.pod_sets.end(),
                     [](const PodSet& p) { return p.counts.active_allocated() > p.minimum; });
}

class MinRuntime final : public Plugin {
 public:
  explicit MinRuntime(MinRuntimeOptions options) : options_(options) {}

  void open(Session& s, Hooks& hooks) override {
    s_ = &s;
    if (has_no_minimum()) return;
    hooks.preempt_victim.add([this](JobId, JobId v) { return filter(v, preempt_minimum(v)); });
    hooks.reclaim_victim.add([this](JobId c, JobId v) { return filter(v, reclaim_minimum(c, v)); });
    hooks.preempt_scenario.add(
        [this](const Scenario& sc) { return validate(sc, [&](JobId v) { return preempt_minimum(v); }); });
    hooks.reclaim_scenario.add([this](const Scenario& sc) {
      return validate(sc, [&](JobId v) { return reclaim_minimum(sc.preemptor, v); });
    });
    if (options_.protect_from_consolidation)
      hooks.consolidation_victim.add([this](JobId c, JobId v) {
        const bool same_leaf = s_->cluster.job(c).queue == s_->cluster.job(v).queue;
        return protected_until(v, same_leaf ? preempt_minimum(v) : reclaim_minimum(c, v));
      });
  }

 private:
  const Queue& queue(QueueId q) const { return s_->cluster.queue(q); }

  // True in most clusters: no minimum is configured anywhere.
  bool has_no_minimum() const {
    const auto is_none = [](const std::optional<Duration>& minimum) {
      return !minimum || *minimum <= Duration::zero();
    };
    return s_->settings.compatibility.protection_needs_minimum && is_none(options_.preempt) &&
           is_none(options_.reclaim) && std::ranges::all_of(s_->cluster.queues(), [&](const Queue& q) {
             return is_none(q.preempt_min_runtime) && is_none(q.reclaim_min_runtime);
           });
  }

  // Returns the first value from the queue up to the root. An explicit 0s is a value and ends the search.
  Duration first_set(QueueId q, Field field, Duration otherwise) const {
    for (; q.valid(); q = queue(q).parent)
      if (const auto& value = queue(q).*field) return *value;
    return otherwise;
  }

  Duration preempt_minimum(JobId victim) const {
    return first_set(s_->cluster.job(victim).queue, &Queue::preempt_min_runtime, options_.preempt);
  }

  Duration reclaim_minimum(JobId preemptor, JobId victim) const {
    QueueId from = s_->cluster.job(victim).queue;
    if (options_.resolve == ReclaimResolve::kLca)
      from = below_common_ancestor(from, s_->cluster.job(preemptor).queue);
    return first_set(from, &Queue::reclaim_min_runtime, options_.reclaim);
  }

  // The ancestor of the victim's queue that is a child of the lowest common ancestor. If both queues are the
  // same leaf, the leaf itself.
  QueueId below_common_ancestor(QueueId victim, QueueId other) const {
    const auto is_ancestor = [&](QueueId q) { return is_at_or_below(s_->cluster, other, q); };
    QueueId at = victim;
    if (is_ancestor(at)) return at;
    while (queue(at).parent.valid() && !is_ancestor(queue(at).parent)) at = queue(at).parent;
    return at;
  }

  // A start in the future counts as just started.
  std::optional<VictimRefusal> protected_until(JobId victim, Duration minimum) const {
    const Job& job = s_->cluster.job(victim);
    const bool needs_minimum = s_->settings.compatibility.protection_needs_minimum;
    if (!job.last_start || (needs_minimum && minimum <= Duration::zero())) return std::nullopt;
    const TimePoint until = *job.last_start + minimum;
    return s_->now < until ? std::optional(VictimRefusal{.rule = kRule, .until = until, .who = victim})
                           : std::nullopt;
  }

  std::optional<VictimRefusal> filter(JobId victim, Duration minimum) const {
    if (is_elastic(s_->cluster.job(victim), s_->settings.compatibility.elastic_by_active_tasks))
      return std::nullopt;
    return protected_until(victim, minimum);
  }

  // An elastic job keeps its minimum while it is protected.
  template <class Minimum>
  std::optional<VictimRefusal> validate(const Scenario& scenario, Minimum minimum) const {
    for (const Scenario::Victim& victim : scenario.victims) {
      const Job& job = s_->cluster.job(victim.job);
      const auto refusal = protected_until(victim.job, minimum(victim.job));
      if (refusal && job.is_elastic() && !keeps_minimum(job, victim.tasks)) return refusal;
    }
    return std::nullopt;
  }

  // Whether each pod set that loses tasks keeps its minimum without them. Every task that was taken is lost,
  // even if it was placed again. Terminating and nominated pods are not kept: they will stop, or do not run
  // yet. KAI counts them.
  bool keeps_minimum(const Job& job, std::span<const TaskId> taken) const {
    const StatusSet counted = s_->settings.compatibility.staying_pods_count ? kAllocatedSet : kActiveUsed;
    std::vector<std::int32_t> kept(job.pod_sets.size());
    for (std::size_t p = 0; p < kept.size(); ++p) kept[p] = job.pod_sets[p].counts.in(counted);
    for (TaskId t : taken)
      if (in(s_->cluster.placement(t).status, counted)) --kept[s_->cluster.task(t).pod_set];
    return std::ranges::none_of(taken, [&](TaskId t) {
      const std::uint32_t p = s_->cluster.task(t).pod_set;
      return kept[p] < job.pod_sets[p].minimum;
    });
  }

  const MinRuntimeOptions options_;
  Session* s_ = nullptr;
};

}  // namespace

std::unique_ptr<Plugin> make_min_runtime(MinRuntimeOptions o) { return std::make_unique<MinRuntime>(o); }

}  // namespace muster::plugins
