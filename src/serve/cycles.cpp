// When a cycle comes, what it is given, and where its decisions go.
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
constexpr auto kBetweenArrivals = milliseconds(20), kLongestRush = milliseconds(500),
               kLongestGrouping = milliseconds(5000);
constexpr auto kLookWhileIdle = milliseconds(100);  // whether we may act meanwhile

// Waits for more than it has a right to: others may come and take it back.
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

Cycles::Cycles(Parts& parts, const Leadership& leadership, Policy policy)
    : p_(parts),
      leadership_(leadership),
      config_(parts.options.config),
      period_(parts.options.schedule_period),
      requeue_log_(parts.log),
      queue_notices_(parts.events) {
  use(std::move(policy));
}

// With what only a live scheduler knows.
void Cycles::use(Policy policy) {
  given_policy_ = policy;
  policy_ = std::move(policy);
  policy_.plugins.push_back(protection_of(p_.evictor.protected_jobs()));
  policy_.plugins.push_back(patience_with(p_.binder.refused_jobs()));
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
    co_await p_.news.until(leadership_.may_act() ? pace_.latest() : Clock::now() + kLookWhileIdle);
    if (p_.loop.stopping()) co_return;
    update();
    show();
    if (p_.usage.is_awaited()) p_.vitals.last_cycle = Clock::now();  // not late, but patient
    if (p_.self_check.is_due()) p_.self_check.compare(p_.cluster, kube::wall_clock());
    if (!leadership_.may_act() || !is_due()) continue;
    if (Clock::now() < pace_.earliest()) co_await p_.loop.sleep(pace_.earliest() - Clock::now());
    co_await gather();
    if (p_.loop.stopping()) co_return;
    co_await run_one();
  }
}

// What arrives together is decided together: who is seen first takes nothing that others of the same moment
// have a better right to. Who takes no more than is its own does not wait for them, and one that comes alone
// hardly. Afterwards the cluster is as the watch shows it.
kube::Async<void> Cycles::gather() {
  const auto start = Clock::now();
  std::optional<Clock::time_point> ungrouped;  // when somebody's group was last awaited
  for (update(); !p_.loop.stopping() && is_some_queue_greedy(p_.cluster); update()) {
    const auto now = Clock::now();
    if (now < start + kLongestGrouping && p_.source.awaits_groups(start + LiveSource::kInARow))
      ungrouped = now;
    const auto end = ungrouped ? end_of_groups(*ungrouped) : end_of_arrivals(start);
    if (now >= end) co_return;
    co_await p_.loop.sleep(std::min<Clock::duration>(end - now, LiveSource::kInARow));
  }
}

// As far as it can be foreseen now, of those that are gathered since `start`.
Clock::time_point Cycles::end_of_arrivals(Clock::time_point start) const {
  const bool is_rush = p_.source.arrivals_in_a_row() > 1;
  const auto quiet_at = p_.source.last_arrival() + (is_rush ? LiveSource::kInARow : kBetweenArrivals);
  return std::min(quiet_at, start + (is_rush ? kLongestRush : kBetweenArrivals));
}

// Pods name their groups a little before or after these are seen.
Clock::time_point Cycles::end_of_groups(Clock::time_point ungrouped) const {
  const auto quiet_at = p_.source.last_arrival() + LiveSource::kInARow;
  return std::clamp(quiet_at, ungrouped + kBetweenArrivals, ungrouped + LiveSource::kInARow);
}

void Cycles::update() { p_.source.update(p_.cluster, kube::wall_clock()); }

// To those who ask on other threads, what is known now.
void Cycles::show() {
  if (!p_.views.is_asked() || !p_.source.is_synced()) return;
  const TimePoint now = kube::wall_clock();
  p_.cluster.refresh(now);
  auto view = std::make_shared<ClusterView>(ClusterView{p_.cluster, given_policy_, now, {}});
  view->policy.settings.usage = policy_.settings.usage;
  view->policy.plugins.push_back(protection_as_of(p_.evictor.protected_jobs()));
  view->policy.plugins.push_back(patience_as_of(p_.binder.refused_jobs().published()));
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

// What a search ruled out under other shares may be right now.
void Cycles::take_usage() {
  const QueueUsage* usage = p_.usage.in_force();
  if (usage == nullptr || *usage == policy_.settings.usage) return;
  policy_.settings.usage = *usage;
  memory_ = SearchMemory();
}

// On a thread of its own: the cluster, and the jobs that are protected or were refused, stay as they are
// meanwhile.
kube::Async<Decisions> Cycles::decide(TimePoint now) {
  p_.source.cycle_begins();
  take_configuration();
  take_usage();
  if (p_.evictor.note_protected_jobs()) memory_ = SearchMemory();  // others may be victims now
  p_.binder.refused_jobs().publish(now);
  std::shared_ptr<CycleSnapshot> snapshot;
  if (p_.snapshots.is_asked()) snapshot = take_snapshot(now);
  guard_.begins(Clock::now());
  const auto work = [this, now] {
    if (p_.options.shadow) return imagine(now);
    Decisions made = run_cycle(p_.cluster, policy_, now, {&memory_, &stopwatch_});
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

// On a copy: what is decided does not happen. Ids mean the same in both.
Decisions Cycles::imagine(TimePoint now) {
  Cluster imagined = p_.cluster;
  SearchMemory none;
  return run_cycle(imagined, policy_, now, {&none, &stopwatch_});
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
    requeue_log_.tell(p_.cluster, *decisions.requeue);
    queue_notices_.tell(p_.cluster, *decisions.requeue);
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
