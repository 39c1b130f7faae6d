// Opens the plugins and holds what all actions of a cycle use: orders, chunks, and the decisions so far.
#include "engine/cycle/session.hpp"

#include <algorithm>

#include "engine/cycle/selector_results.hpp"
#include "engine/order/gang_view.hpp"
#include "engine/order/victim_pool.hpp"
#include "engine/order/waiting_jobs.hpp"
#include "engine/place/gpu_room.hpp"
#include "engine/place/node_finder.hpp"
#include "engine/search/demand_index.hpp"
#include "engine/search/search_memory.hpp"
#include "engine/search/signatures.hpp"
#include "util/keys.hpp"

namespace muster {
namespace {

// A requeued job counts as pending only since it was requeued.
inline TimePoint waiting_since(const Job& job, bool joins_now, TimePoint now) {
  if (!joins_now && !job.requeued_at) return job.created;
  return std::max(job.created, joins_now ? now : std::min(*job.requeued_at, now));
}

}  // namespace

Session::Session(Cluster& c, const Policy& policy, TimePoint t, const CycleContext& aids)
    : cluster(c),
      settings(policy.settings),
      now(t),
      now_text(format_time(t)),
      memory(aids.memory),
      aids_(aids),
      selector_results_(aids.selector_results),
      finder_(std::make_unique<NodeFinder>(*this)) {
  cluster.refresh(now);
  if (selector_results_ == nullptr) {
    own_selector_results_ = std::make_unique<SelectorResults>();
    selector_results_ = own_selector_results_.get();
  }
  selector_results_->cycle_begins(cluster.devices());
  for (const PluginFactory& factory : policy.plugins) {
    plugins_.push_back(factory.make());
    plugins_.back()->open(*this, hooks);
    hooks.node_score.named(factory.name);
  }
}

Session::~Session() = default;

std::vector<JobId> Session::waiting() const {
  std::vector<JobId> jobs(cluster.pending_jobs().begin(), cluster.pending_jobs().end());
  if (aids_.set_aside != nullptr) std::erase_if(jobs, [&](JobId j) { return aids_.set_aside->contains(j); });
  return jobs;
}

std::span<const JobId> Session::waiting_by_age() {
  if (std::exchange(waiting_as_of_, changes_) == changes_) return waiting_by_age_;
  waiting_by_age_ = waiting();
  std::erase_if(waiting_by_age_, [&](JobId j) { return why_not_considered(cluster, j).has_value(); });
  // The sort keys are stored next to each other; only those with equal timestamps are compared by uid.
  std::vector<std::pair<TimePoint, JobId>> line;
  for (JobId j : waiting_by_age_) line.emplace_back(cluster.job(j).created, j);
  std::ranges::sort(line, [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : cluster.job(a.second).uid < cluster.job(b.second).uid;
  });
  std::ranges::transform(line, waiting_by_age_.begin(), [](const auto& entry) { return entry.second; });
  return waiting_by_age_;
}

void Session::take_signatures() {
  const bool are_used = settings.use_signatures && !settings.compatibility.compare_failed_fully;
  if (signatures_ == nullptr && are_used) signatures_ = std::make_unique<Signatures>(cluster);
}

DemandIndex& Session::demand_index() {
  if (demand_index_ == nullptr) demand_index_ = std::make_unique<DemandIndex>(*this);
  return *demand_index_;
}

void Session::move(TaskId t, const Placement& to) {
  const Placement from = cluster.placement(t);
  departures_ += from.node.valid() && !same_places(from, to);
  if (to.status == TaskStatus::kPending)
    if (const auto known = ordered_tasks_.find({cluster.task(t).job, cluster.task(t).pod_set});
        known != ordered_tasks_.end())
      known->second.first_waiting = 0;
  cluster.move(t, to);
  hooks.moved(t, from, to);
}

// ---------------------------------------------------------------- orders

bool Session::job_before(const JobEntry& a, const JobEntry& b) const {
  if (a.rank != b.rank) return a.rank < b.rank;
  const Job &x = cluster.job(a.job), &y = cluster.job(b.job);
  return Age{waiting_since(x, a.joins_now, now), x.uid} < Age{waiting_since(y, b.joins_now, now), y.uid};
}

bool Session::senior(const JobEntry& a, const JobEntry& b) const {
  if (a.rank != b.rank) return a.rank < b.rank;
  return age(cluster.job(a.job)) < age(cluster.job(b.job));
}

bool Session::task_before(TaskId a, TaskId b) const {
  if (const int order = hooks.task_order(a, b)) return order < 0;
  return age(cluster.task(a)) < age(cluster.task(b));
}

// Most pod sets have one task, or tasks that are already in order.
std::span<const TaskId> Session::ordered_tasks(JobId id, std::uint32_t pod_set) {
  const std::vector<TaskId>& tasks = cluster.job(id).pod_sets[pod_set].tasks;
  if (tasks.size() < 2) return tasks;
  const auto [found, is_new] = ordered_tasks_.try_emplace({id, pod_set});
  std::vector<TaskId>& sorted = found->second.sorted;
  const auto before = [&](TaskId a, TaskId b) { return task_before(a, b); };
  if (is_new && !std::is_sorted(tasks.begin(), tasks.end(), before)) {
    sorted = tasks;
    std::stable_sort(sorted.begin(), sorted.end(), before);
  }
  return sorted.empty() ? tasks : sorted;
}

// ---------------------------------------------------------------- tasks tried at once: actions.md 3.3

const Chunk& Session::chunk(JobId id, Evicted evicted) {
  const Job& job = cluster.job(id);
  Chunk& chunk = chunks_[id];
  if (chunk.version == job.version && (chunk.evicted == evicted || !chunk.has_evicted)) return chunk;
  chunk.version = job.version;
  chunk.evicted = evicted;
  chunk.has_evicted = false;
  chunk.tasks.clear();
  // After the job loses a task, the next cycle tries different ones.
  const bool lasts = memory != nullptr && job.counts.of(TaskStatus::kReleasing) == 0;
  if (!lasts || !memory->recall_tasks(id, job.version, chunk.tasks)) {
    collect_tasks(id, chunk);
    if (lasts) memory->remember_tasks(id, job.version, chunk.tasks);
  }
  chunk.wanted = demand(chunk.tasks, cluster.smallest_gpu());
  return chunk;
}

void Session::collect_tasks(JobId id, Chunk& chunk) {
  const Job& job = cluster.job(id);
  const GangView gang(*this, job);
  const auto take = [&](std::uint32_t p) { return take_tasks(id, p, gang.wanted(p), chunk); };
  const auto waiting = [&](std::uint32_t p) {
    return static_cast<std::int32_t>(
        std::ranges::count_if(job.pod_sets[p].tasks, [&](TaskId t) { return waits(t, chunk.evicted); }));
  };
  if (settings.compatibility.ready_sub_groups_first)
    gang.take_next(kRoot, take, waiting);
  else
    gang.take_next(kRoot, take);
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
  if (is_satisfied(job, kRoot)) return core;
  std::vector<std::int32_t> missing;
  for (const PodSet& p : job.pod_sets) missing.push_back(p.minimum - p.counts.active_allocated());
  for (TaskId t : tasks)
    if (missing[cluster.task(t).pod_set]-- > 0) core.push_back(t);
  return core;
}

bool Session::waits(TaskId t, Evicted evicted) const {
  const Placement& at = cluster.placement(t);
  return at.status == TaskStatus::kPending || (evicted == Evicted::kWaitAgain && at.virtually_evicted);
}

bool Session::take_tasks(JobId id, std::uint32_t pod_set, std::int32_t at_most, Chunk& chunk) {
  const std::int32_t before = at_most;
  const std::span<const TaskId> tasks = ordered_tasks(id, pod_set);
  const bool some_may_be_evicted = cluster.job(id).counts.of(TaskStatus::kReleasing) > 0;
  const auto known = ordered_tasks_.find({id, pod_set});
  if (some_may_be_evicted) stats.steps += std::ssize(tasks);
  std::size_t from_start = 0;
  std::size_t& first =
      some_may_be_evicted || known == ordered_tasks_.end() ? from_start : known->second.first_waiting;
  while (first < tasks.size() && !some_may_be_evicted && !waits(tasks[first], chunk.evicted)) ++first;
  for (TaskId t : tasks.subspan(first)) {
    if (at_most == 0 && !some_may_be_evicted) break;
    chunk.has_evicted |= cluster.placement(t).virtually_evicted;
    if (at_most == 0 || !waits(t, chunk.evicted)) continue;
    chunk.tasks.push_back(t);
    --at_most;
  }
  return at_most < before;
}

// ---------------------------------------------------------------- records

void Session::bind(TaskId t) {
  Placement at = cluster.placement(t);
  at.status = TaskStatus::kBinding;
  move(t, at);
  decisions.binds.push_back({t, at.node, at.holding});
}

// Running jobs keep their old times if the cycle undoes what it decided about them.
void Session::note_start(JobId id) {
  const Job& job = cluster.job(id);
  times_before_.try_emplace(id, JobTimes{job.last_start, job.last_eviction});
  cluster.started(id, now);
  annotate(id, keys::kLastStart, now_text);
}

void Session::note_eviction(JobId id) {
  const Job& job = cluster.job(id);
  times_before_.try_emplace(id, JobTimes{job.last_start, job.last_eviction});
  cluster.evicted(id, now);
  if (job.present) annotate(id, keys::kLastEviction, now_text);
}

// Later rounds of a cycle add to the statistics of the first.
void Session::record_stats() {
  const auto same = std::ranges::find(decisions.actions, stats.action, &ActionStats::action);
  if (same == decisions.actions.end()) return decisions.actions.push_back(stats);
  same->milliseconds += stats.milliseconds;
  same->jobs_tried += stats.jobs_tried;
  same->nodes_tried += stats.nodes_tried;
  same->scenarios_simulated += stats.scenarios_simulated;
  same->steps += stats.steps;
}

void Session::record_eviction(TaskId t, const std::string& action, JobId preemptor) {
  decisions.evictions.push_back({t, action, preemptor});
}

void Session::annotate(JobId job, std::string key, std::optional<std::string> value) {
  const auto [at, is_new] = patches_.try_emplace(job, decisions.patches.size());
  if (is_new) decisions.patches.push_back({.job = job, .annotations = {}});
  decisions.patches[at->second].annotations.insert_or_assign(std::move(key), std::move(value));
}

void Session::set_reason(JobId job, JobReason&& reason) {
  Reported& reported = reported_[job];
  reported.reasons.clear();
  const bool is_known = reason.rule == JobRule::kNoNode && !counts_refusals(job);
  reported.as_known = is_known ? cluster.job(job).version : 0;
  if (!is_known) reported.reasons.push_back(std::move(reason));
}

std::span<const JobReason> Session::reasons(JobId job) const {
  const auto found = reported_.find(job);
  return found == reported_.end() ? std::span<const JobReason>() : found->second.reasons;
}

void Session::add_reason(JobId job, JobReason reason) {
  auto& reasons = reported_[job].reasons;
  const bool known =
      std::any_of(reasons.begin(), reasons.end(), [&](const JobReason& r) { return r.rule == reason.rule; });
  if (!known) reasons.push_back(std::move(reason));
}

}  // namespace muster
