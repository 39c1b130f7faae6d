// The life of a cycle between open and close.
#include "engine/cycle/session.hpp"

#include <algorithm>
#include <functional>

#include "engine/order/gang_view.hpp"
#include "engine/order/readiness.hpp"
#include "engine/place/node_finder.hpp"
#include "engine/search/failed_jobs.hpp"

namespace muster {
namespace {

// A job that was requeued waits from then on.
inline TimePoint waiting_since(const Job& job, bool joins_now, TimePoint now) {
  if (!joins_now && !job.requeued_at) return job.created;
  return std::max(job.created, joins_now ? now : std::min(*job.requeued_at, now));
}

}  // namespace

Session::Session(Cluster& c, const Policy& p, TimePoint t, SearchMemory* m)
    : cluster(c),
      policy(p),
      settings(p.settings),
      now(t),
      now_text(format_time(t)),
      memory(m),
      finder_(std::make_unique<NodeFinder>(*this)) {
  cluster.refresh(now);
  std::string names;
  for (const PluginFactory& factory : policy.plugins) {
    names += factory.name + ",";
    plugins_.push_back(factory.make());
    plugins_.back()->open(*this, hooks);
  }
  task_order_stamp_ = std::hash<std::string>()(names) | 1U;
}

Session::~Session() = default;

void Session::take_signatures() {
  if (signatures_ != nullptr) return;
  signatures_ = std::make_unique<Signatures>();
  signatures_->take(*this);
}

void Session::move(TaskId t, const Placement& to) {
  if (hooks.moved.empty()) return cluster.move(t, to);
  const Placement from = cluster.placement(t);
  cluster.move(t, to);
  hooks.moved(t, from, to);
}

// ---------------------------------------------------------------- orders

bool Session::job_before(const JobEntry& a, const JobEntry& b) const {
  if (const int order = hooks.job_order(a, b)) return order < 0;
  const Job &left = cluster.job(a.job), &right = cluster.job(b.job);
  const TimePoint x = waiting_since(left, a.joins_now, now), y = waiting_since(right, b.joins_now, now);
  return x != y ? x < y : left.uid < right.uid;
}

bool Session::senior(const JobEntry& a, const JobEntry& b) const {
  if (const int order = hooks.job_order(a, b)) return order < 0;
  return is_older(cluster.job(a.job), cluster.job(b.job));
}

bool Session::task_before(TaskId a, TaskId b) const {
  if (const int order = hooks.task_order(a, b)) return order < 0;
  return is_older(cluster.task(a), cluster.task(b));
}

const std::vector<TaskId>& Session::ordered_tasks(JobId id, std::uint32_t pod_set) {
  PodSet& set = cluster.pod_set(id, pod_set);
  if (set.ordered_by != task_order_stamp_ && set.tasks.size() > 1)
    std::stable_sort(set.tasks.begin(), set.tasks.end(),
                     [&](TaskId a, TaskId b) { return task_before(a, b); });
  set.ordered_by = task_order_stamp_;
  return set.tasks;
}

// ---------------------------------------------------------------- tasks tried at once: actions.md 3.3

const Chunk& Session::chunk(JobId id, bool simulated) {
  const Job& job = cluster.job(id);
  Chunk& chunk = chunks_[id];
  if (chunk.version == job.version && (chunk.simulated == simulated || !chunk.has_evicted)) return chunk;
  chunk.version = job.version;
  chunk.simulated = simulated;
  chunk.has_evicted = false;
  chunk.tasks.clear();
  const GangView gang(*this, job);
  gang.take_next(Member{.is_pod_set = false, .at = 0},
                 [&](std::uint32_t p) { return take_tasks(id, p, gang.wanted(p), chunk); });
  chunk.wanted = demand(chunk.tasks, cluster.smallest_gpu());
  return chunk;
}

Demand Session::demand(std::span<const TaskId> tasks, std::int64_t gpu_mib) const {
  Demand sum;
  std::int64_t gpu_memory = 0;
  for (TaskId t : tasks) {
    sum.charge += cluster.shape_of(t).charge;
    gpu_memory += cluster.shape_of(t).gpu_memory;
  }
  if (gpu_mib > 0) sum.gpus_by_memory = static_cast<double>(gpu_memory) / static_cast<double>(gpu_mib);
  return sum;
}

std::vector<TaskId> Session::core_part(JobId id, std::span<const TaskId> tasks) const {
  const Job& job = cluster.job(id);
  if (job.is_preemptible()) return {};
  if (!job.is_semi_preemptible()) return {tasks.begin(), tasks.end()};
  std::vector<TaskId> core;
  if (is_satisfied(job, Member{.is_pod_set = false, .at = 0})) return core;
  std::vector<std::int32_t> missing;
  for (const PodSet& p : job.pod_sets) missing.push_back(p.minimum - p.counts.active_allocated());
  for (TaskId t : tasks)
    if (missing[cluster.task(t).pod_set]-- > 0) core.push_back(t);
  return core;
}

bool Session::take_tasks(JobId id, std::uint32_t pod_set, std::int32_t at_most, Chunk& chunk) {
  const std::int32_t before = at_most;
  for (TaskId t : ordered_tasks(id, pod_set)) {
    const Placement& at = cluster.placement(t);
    chunk.has_evicted |= at.virtually_evicted;
    if (at_most == 0 || !(at.status == TaskStatus::kPending || (chunk.simulated && at.virtually_evicted)))
      continue;
    chunk.tasks.push_back(t);
    --at_most;
  }
  return at_most < before;
}

// ---------------------------------------------------------------- what happened

void Session::bound(TaskId t) {
  Placement at = cluster.placement(t);
  at.status = TaskStatus::kBinding;
  move(t, at);
  decisions.binds.push_back({t, at.node, at.holding});
}

void Session::evicted(TaskId t, const std::string& action, JobId contender) {
  decisions.evictions.push_back({t, action, contender});
}

void Session::annotate(JobId job, std::string key, std::optional<std::string> value) {
  const auto [at, is_new] = patches_.try_emplace(job, decisions.patches.size());
  if (is_new) decisions.patches.push_back({.job = job, .annotations = {}});
  decisions.patches[at->second].annotations.insert_or_assign(std::move(key), std::move(value));
}

void Session::waits(JobId job, JobReason reason) {
  auto& reasons = reasons_[job];
  reasons.clear();
  reasons.push_back(std::move(reason));
}

void Session::adds_reason(JobId job, JobReason reason) {
  auto& reasons = reasons_[job];
  const bool known =
      std::any_of(reasons.begin(), reasons.end(), [&](const JobReason& r) { return r.rule == reason.rule; });
  if (!known) reasons.push_back(std::move(reason));
}

// ---------------------------------------------------------------- close

Decisions Session::close() {
  collect_waiting();
  collect_shares();
  settle_evicted();
  settle_pipelined();
  return std::move(decisions);
}

// Pipelined places last to the end of the cycle: a moved task goes on terminating where it was, others wait
// again.
void Session::settle_pipelined() {
  std::sort(pipelined_.begin(), pipelined_.end(), [&](TaskId a, TaskId b) {
    const Task &x = cluster.task(a), &y = cluster.task(b);
    return x.ns != y.ns ? x.ns < y.ns : x.name < y.name;
  });
  pipelined_.erase(std::unique(pipelined_.begin(), pipelined_.end()), pipelined_.end());
  for (TaskId t : pipelined_) {
    const Placement at = cluster.placement(t);
    if (at.status != TaskStatus::kPipelined) continue;
    decisions.pipelined.push_back({t, at.node, at.holding});
    if (at.leaving.valid() && !at.never_stood)
      cluster.move(t, {.status = TaskStatus::kReleasing, .node = at.leaving, .holding = at.leaving_holding});
    else
      cluster.move(t, {.status = TaskStatus::kPending});
  }
}

// A task that was evicted when it was only pipelined waits again; one that was to move ends where it stands.
void Session::settle_evicted() {
  for (TaskId t : pipelined_) {
    const Placement at = cluster.placement(t);
    if (at.status != TaskStatus::kReleasing) continue;
    if (at.leaving.valid() && !at.never_stood)
      cluster.move(t, {.status = TaskStatus::kReleasing, .node = at.leaving, .holding = at.leaving_holding});
    else if (!cluster.task(t).observed.node.valid())
      cluster.move(t, {.status = TaskStatus::kPending});
  }
}

void Session::collect_waiting() {
  std::vector<JobId> waiting(cluster.pending_jobs().begin(), cluster.pending_jobs().end());
  std::sort(waiting.begin(), waiting.end(), [&](JobId a, JobId b) {
    const Job &x = cluster.job(a), &y = cluster.job(b);
    return x.ns != y.ns ? x.ns < y.ns : x.name < y.name;
  });
  for (JobId j : waiting) {
    WaitingJob w{.job = j, .reasons = {}, .searches = {}};
    if (auto standing = why_not_considered(cluster, j)) w.reasons.push_back(std::move(*standing));
    if (const auto found = reasons_.find(j); found != reasons_.end())
      w.reasons.insert(w.reasons.end(), found->second.begin(), found->second.end());
    if (const auto found = searches_.find(j); found != searches_.end()) w.searches = std::move(found->second);
    decisions.waiting.push_back(std::move(w));
  }
}

void Session::collect_shares() {
  for (QueueId q : cluster.queue_tree().depth_first())
    decisions.shares.push_back({.queue = q,
                                .fair_share = hooks.fair_share ? hooks.fair_share(q) : Shares{},
                                .allocated = cluster.use(q).allocated.shares(),
                                .requested = hooks.requested ? hooks.requested(q) : Shares{}});
}

}  // namespace muster
