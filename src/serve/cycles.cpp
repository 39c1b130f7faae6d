// Starts cycles at the right time, gives them their inputs, and carries out their decisions.
#include "serve/cycles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "answers/json.hpp"
#include "engine/cycle/run_cycle.hpp"
#include "kube/json_text.hpp"
#include "model/holders.hpp"
#include "serve/leadership.hpp"
#include "serve/parts.hpp"

namespace muster::serve {
namespace {

using kube::Clock;
using std::chrono::milliseconds;

constexpr auto kShortestGap = milliseconds(15);
constexpr auto kLongestGap = milliseconds(250);
constexpr auto kBetweenArrivals = milliseconds(20), kLongestBurst = milliseconds(500),
               kLongestGrouping = milliseconds(5000);
constexpr auto kIdlePollInterval = milliseconds(100);  // how often a replica that may not act checks again

// Returns true if the pending jobs of the queue would take it above its quota, where other queues could
// reclaim from it.
bool wants_more_than_its_quota(const Queue& queue, const QueueUse& use) {
  return std::ranges::any_of(kAccounted, [&](Accounted r) {
    const double quota = queue.of(r).quota, waiting = use.pending.share(r);
    return waiting > 0 && quota >= 0 && use.allocated.share(r) + waiting > quota;
  });
}

bool is_some_queue_greedy(const Cluster& cluster) {
  for (const QueueId id : ids(cluster.queues()))
    if (wants_more_than_its_quota(cluster.queue(id), cluster.use(id))) return true;
  return false;
}

}  // namespace

void CyclePace::ran(Clock::duration took, Clock::duration period) {
  const auto now = Clock::now();
  earliest_ =
      now + std::clamp<Clock::duration>(3 * took, kShortestGap, std::max<Clock::duration>(took, kLongestGap));
  latest_ = now + period;
}

void CyclePace::come_by(Clock::time_point at) { latest_ = std::min(latest_, at); }

Clock::time_point CyclePace::latest() const { return std::max(earliest_, latest_); }

Cycles::Cycles(Services& parts, const Leadership& leadership, Policy policy)
    : p_(parts),
      leadership_(leadership),
      config_(parts.options.config),
      period_(parts.options.schedule_period),
      requeue_log_(parts.log),
      queue_notices_(parts.events) {
  use(std::move(policy));
}

// Adds the plugins that need the state of a live scheduler.
void Cycles::use(Policy policy) {
  given_policy_ = policy;
  policy_ = std::move(policy);
  policy_.plugins.push_back(plugins::protected_jobs_plugin(p_.evictor.protected_jobs()));
  policy_.plugins.push_back(plugins::refused_jobs_plugin(p_.binder.refused_jobs()));
}

void Cycles::adopt(ConfigurationRead read) {
  next_ = std::move(read);
  pace_.come_by(Clock::now());
  p_.news.give();
}

void Cycles::take_configuration() {
  if (!next_) return;
  next_->policy.settings.usage = policy_.settings.usage;
  period_ = next_->schedule_period;
  p_.vitals.schedule_period = period_;
  use(std::move(next_->policy));
  config_ = std::move(next_->config);
  memory_ = SearchMemory();
  next_.reset();
}

kube::Async<void> Cycles::run() {
  while (!p_.loop.stopping()) {
    co_await p_.news.until(leadership_.may_act() ? pace_.latest() : Clock::now() + kIdlePollInterval);
    if (p_.loop.stopping()) co_return;
    update();
    show();
    if (p_.usage.is_awaited())
      p_.vitals.last_cycle = Clock::now();  // waiting is intended, so the last cycle does not count as late
    if (p_.self_check.is_due()) p_.self_check.compare(p_.cluster, kube::wall_clock());
    if (!leadership_.may_act() || !is_due()) continue;
    if (Clock::now() < pace_.earliest()) co_await p_.loop.sleep(pace_.earliest() - Clock::now());
    co_await gather();
    if (p_.loop.stopping()) co_return;
    co_await run_one();
  }
}

// Waits briefly, so that jobs that arrive together are decided together. Otherwise, the job seen first could
// take resources from a job with a higher rank that arrives with it. Does not wait while every queue stays
// within its quota, and hardly waits for a single arrival. On return, the cluster is as the watch shows it.
kube::Async<void> Cycles::gather() {
  const auto start = Clock::now();
  std::optional<Clock::time_point> ungrouped;  // when a pod was last seen to lack its PodGroup
  for (update(); !p_.loop.stopping() && is_some_queue_greedy(p_.cluster); update()) {
    const auto now = Clock::now();
    if (now < start + kLongestGrouping && p_.source.awaits_groups(start + LiveSource::kBurstGap))
      ungrouped = now;
    const auto end = ungrouped ? end_of_groups(*ungrouped) : end_of_arrivals(start);
    if (now >= end) co_return;
    co_await p_.loop.sleep(std::min<Clock::duration>(end - now, LiveSource::kBurstGap));
  }
}

// The expected end of the arrivals that have been gathered since `start`, estimated now.
Clock::time_point Cycles::end_of_arrivals(Clock::time_point start) const {
  const bool is_burst = p_.source.burst_size() > 1;
  const auto quiet_at = p_.source.last_arrival() + (is_burst ? LiveSource::kBurstGap : kBetweenArrivals);
  return std::min(quiet_at, start + (is_burst ? kLongestBurst : kBetweenArrivals));
}

// Pods name their PodGroups shortly before or after the watch shows the PodGroups.
Clock::time_point Cycles::end_of_groups(Clock::time_point ungrouped) const {
  const auto quiet_at = p_.source.last_arrival() + LiveSource::kBurstGap;
  return std::clamp(quiet_at, ungrouped + kBetweenArrivals, ungrouped + LiveSource::kBurstGap);
}

void Cycles::update() { p_.source.update(p_.cluster, kube::wall_clock()); }

// Gives the current state to threads that asked for it.
void Cycles::show() {
  if (!p_.views.is_asked() || !p_.source.is_synced()) return;
  const TimePoint now = kube::wall_clock();
  p_.cluster.refresh(now);
  auto view = std::make_shared<ClusterView>(ClusterView{p_.cluster, given_policy_, now, {}});
  view->policy.settings.usage = policy_.settings.usage;
  view->policy.plugins.push_back(plugins::recorded_protected_jobs_plugin(p_.evictor.protected_jobs()));
  view->policy.plugins.push_back(plugins::recorded_refused_jobs_plugin(p_.binder.refused_jobs().published()));
  view->times.history = p_.run_times.figures();
  p_.views.answer(std::move(view));
}

bool Cycles::is_due() const {
  return p_.source.calls_for_cycle() || p_.snapshots.is_asked() || Clock::now() >= pace_.latest();
}

kube::Async<void> Cycles::run_one() {
  const TimePoint now = kube::wall_clock();
  const auto start = Clock::now();
  const Decisions decisions = co_await decide(now);
  const auto took = Clock::now() - start;
  pace_.ran(took, period_);
  const Duration to_moment = decisions.next_deadline ? *decisions.next_deadline - now : Duration::max();
  if (to_moment < period_) pace_.come_by(start + to_moment);
  p_.vitals.last_cycle = Clock::now();
  p_.metrics.cycle(p_.cluster, decisions, took, p_.usage.in_force());
  p_.usage.cycle_ran(p_.cluster);
  if (p_.run_times.look(p_.cluster, now)) p_.metrics.run_times(p_.run_times.figures());
  p_.self_check.cycle_ran();
  if (!p_.vitals.is_leader || p_.vitals.is_draining) co_return;
  if (p_.options.shadow) {
    p_.shadow.decided(decisions, now);
    co_return;
  }
  carry_out(decisions, now);
  log_cycle(decisions, took);
}

// Other fair shares may make a scenario succeed that an earlier search ruled out, so the memory is cleared.
void Cycles::take_usage() {
  const QueueUsage* usage = p_.usage.in_force();
  if (usage == nullptr || *usage == policy_.settings.usage) return;
  policy_.settings.usage = *usage;
  memory_ = SearchMemory();
}

// Runs a cycle on another thread. Until it ends, the cluster and the lists of protected and refused jobs do
// not change.
kube::Async<Decisions> Cycles::decide(TimePoint now) {
  p_.source.cycle_begins();
  take_configuration();
  take_usage();
  if (p_.evictor.note_protected_jobs()) memory_ = SearchMemory();  // the possible victims have changed
  p_.binder.refused_jobs().publish(now);
  std::shared_ptr<CycleSnapshot> snapshot;
  if (p_.snapshots.is_asked()) snapshot = take_snapshot(now);
  guard_.begins(Clock::now());
  const auto work = [this, now] {
    if (p_.options.shadow) return run_shadow_cycle(now);
    Decisions made = run_cycle(p_.cluster, policy_, now, {&memory_, &stopwatch_, &selector_results_});
    name_holders(p_.cluster, made.waiting);
    return made;
  };
  auto running = p_.loop.offload(work);
  Decisions decisions = co_await running;
  guard_.ends();
  if (snapshot != nullptr) {
    snapshot->decided = kube::json_text(answers::decisions_json(p_.cluster, decisions));
    p_.snapshots.answer(std::move(snapshot));
  }
  co_return decisions;
}

// Decides on a copy of the cluster, since the decisions are not carried out. Ids are the same in both.
Decisions Cycles::run_shadow_cycle(TimePoint now) {
  Cluster copy = p_.cluster;
  SearchMemory none;
  return run_cycle(copy, policy_, now, {&none, &stopwatch_, &selector_results_});
}

std::shared_ptr<CycleSnapshot> Cycles::take_snapshot(TimePoint now) {
  auto snapshot = std::make_shared<CycleSnapshot>(snapshot_before(
      p_.cluster, p_.source, p_.assumptions, {p_.options.node_pool_label, p_.options.node_pool}, now));
  snapshot->usage = policy_.settings.usage;
  snapshot->history = p_.run_times.figures();
  snapshot->refused = p_.binder.refused_jobs().published();
  snapshot->protected_jobs = p_.evictor.protected_jobs();
  snapshot->config = config_;
  return snapshot;
}

void Cycles::carry_out(const Decisions& decisions, TimePoint now) {
  p_.rush.decided(decisions.binds.size() + decisions.evictions.size(), Clock::now());
  p_.sink.assume(p_.cluster, decisions, now);
  p_.sink.carry_out(p_.cluster, decisions, now);
  p_.status.publish(p_.cluster, decisions);
  p_.notices.publish(p_.cluster, p_.source.take_changes(), p_.source.read_warnings());
  p_.job_status.publish(p_.cluster);
  p_.queue_status.publish(p_.cluster, decisions);
  p_.reservations.look_after(p_.cluster);
  p_.scaling.look_after(p_.cluster, decisions);
  p_.grouping.look_after(p_.cluster);
  if (decisions.requeue) {
    requeue_log_.write(p_.cluster, *decisions.requeue);
    queue_notices_.report(p_.cluster, *decisions.requeue);
  }
  pace_.come_by(p_.status.next_due());
}

void Cycles::log_cycle(const Decisions& decisions, Clock::duration took) {
  if (decisions.binds.empty() && decisions.evictions.empty()) return;
  const double ms = std::chrono::duration<double, std::milli>(took).count();
  p_.log.info("cycle", {{"bound", std::to_string(decisions.binds.size())},
                        {"evicted", std::to_string(decisions.evictions.size())},
                        {"pipelined", std::to_string(decisions.pipelined.size())},
                        {"waitingJobs", std::to_string(decisions.waiting.size())},
                        {"ms", fmt::format("{:.1f}", ms)}});
}

}  // namespace muster::serve
