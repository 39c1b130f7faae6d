// Jobs and their pods over time: their work, their minimum, and their end.
#include <algorithm>

#include "sim/controllers.hpp"
#include "sim/timed_cluster.hpp"

namespace muster {
namespace {

constexpr auto kGpuUnits = index(Accounted::kGpus);

// Longer than any run, and short enough that the sum of two does not overflow.
Duration bounded(Duration d) { return std::min(d, kLongestWork); }

// True if the running and finished pods reach the minimum.
bool holds(const Job& job, const Member& member) {
  if (member.is_pod_set) {
    const PodSet& set = job.pod_sets[member.at];
    return set.counts.of(TaskStatus::kRunning) + set.counts.of(TaskStatus::kSucceeded) >= set.declared;
  }
  const GroupSet& set = job.sets[member.at];
  return std::ranges::count_if(set.members, [&](const Member& m) { return holds(job, m); }) >= set.required();
}

}  // namespace

// ---------------------------------------------------------------- start of the run

void TimedCluster::take_over() {
  for (JobId j : ids(cluster_.jobs()))
    if (cluster_.job(j).present) entry_of(j);
  for (TaskId t : ids(cluster_.tasks())) {
    const Task& task = cluster_.task(t);
    if (!task.alive) continue;
    const auto found = agenda_.pods.find(task.full_name());
    const bool is_of_job = task.job.valid() && cluster_.job(task.job).present;
    Entry& entry = is_of_job ? entry_of(task.job) : entry_of_lone(t);
    add_pod(entry, t, found == agenda_.pods.end() ? Work{} : found->second);
  }
  agenda_.pods.clear();
  agenda_.groups.clear();
  drop_what_ended_before();
  settle_touched();
}

// Jobs that were over before the run began are not part of it.
void TimedCluster::drop_what_ended_before() {
  for (std::size_t slot = 0; slot < entries_.size(); ++slot) {
    Entry& entry = *entries_[slot];
    if (entry.run.are_all_finished())
      drop(entry);
    else if (entry.job.valid())
      report_submit(entry);
  }
}

// ---------------------------------------------------------------- entries

TimedCluster::Entry& TimedCluster::new_entry(TimePoint submitted) {
  auto made = std::make_unique<Entry>(submitted);
  made->outcome.submitted = submitted;
  if (free_slots_.empty()) {
    made->slot = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back(std::move(made));
    return *entries_.back();
  }
  made->slot = free_slots_.back();
  free_slots_.pop_back();
  return *(entries_[made->slot] = std::move(made));
}

TimedCluster::Entry& TimedCluster::entry_of(JobId id) {
  if (const auto known = by_job_.find(id); known != by_job_.end()) return *known->second;
  const Job& job = cluster_.job(id);
  Entry& entry = new_entry(now_);
  by_job_[id] = &entry;
  entry.job = id;
  entry.queue = job.queue;
  entry.outcome.name = job.full_name();
  entry.outcome.queue = job.queue_name;
  if (const auto work = agenda_.groups.find(entry.outcome.name); work != agenda_.groups.end())
    entry.work = work->second;
  touch(entry);
  return entry;
}

// A pod without a job gets an entry of its own, which is not reported.
TimedCluster::Entry& TimedCluster::entry_of_lone(TaskId id) {
  if (const auto known = by_task_.find(id); known != by_task_.end()) return *known->second.entry;
  return new_entry(now_);
}

void TimedCluster::drop(Entry& entry) {
  if (entry.job.valid()) by_job_.erase(entry.job);
  for (const PodFacts& pod : entry.pods)
    if (pod.task.valid()) by_task_.erase(pod.task);
  if (entry.is_touched) std::erase(touched_, &entry);
  const std::uint32_t slot = entry.slot;
  free_slots_.push_back(slot);
  entries_[slot].reset();
}

void TimedCluster::add_pod(Entry& entry, TaskId id, const Work& work) {
  if (by_task_.contains(id)) return;
  touch(entry);
  const Task& task = cluster_.task(id);
  const JobRun::Pod pod = entry.run.add({.gpus = cluster_.shape_of(id).charge.units[kGpuUnits]});
  entry.pods.push_back({.task = id, .work = work, .uid = task.uid, .ns = task.ns, .name = task.name});
  by_task_[id] = {&entry, pod};
  entry.outcome.gpus += entry.run.plan(pod).gpus;
  plan_work(entry, entry.pods[pod], pod);
  const Placement& at = cluster_.placement(id);
  switch (at.status) {
    case TaskStatus::kRunning:
    case TaskStatus::kReleasing:
    case TaskStatus::kStuckInReleasing:
    case TaskStatus::kBound:
    case TaskStatus::kBinding:
      if (!at.node.valid()) break;
      hold(entry, pod, at.node);
      begin_with_status(entry, pod, at.status);
      break;
    case TaskStatus::kSucceeded:
    case TaskStatus::kFailed:
      entry.run.finish(pod);
      break;
    default:
      break;
  }
}

// A running pod has run since its job started, as far as known.
void TimedCluster::begin_with_status(Entry& entry, JobRun::Pod pod, TaskStatus status) {
  PodFacts& facts = entry.pods[pod];
  if (status == TaskStatus::kReleasing || status == TaskStatus::kStuckInReleasing) return entry.run.stop(pod);
  if (status != TaskStatus::kRunning) {
    facts.version = ++last_version_;
    events_.plan(now_ + options_.start_delay, EventKind::kPodStarts, entry.slot, facts.version, pod);
    return;
  }
  const auto& since = entry.job.valid() ? cluster_.job(entry.job).last_start : std::nullopt;
  if (since && *since < now_) entry.run.set_done_before(pod, now_ - *since);
  entry.run.start(pod);
}

// The random draw depends on the source of the work: the pod for itself, or the job for all its pods.
void TimedCluster::plan_work(Entry& entry, const PodFacts& facts, JobRun::Pod pod) const {
  const Work work = merged(facts.work, entry.work);
  JobRun::Plan plan = entry.run.plan(pod);
  plan.checkpoint_every = work.checkpoint_every;
  plan.restart_cost = bounded(work.restart_cost.value_or(Duration::zero()));
  plan.fails_after = work.fails_after;
  plan.total.reset();
  if (facts.work.duration)
    plan.total = bounded(facts.work.duration->draw(options_.seed, facts.ns + "/" + facts.name));
  else if (entry.work.duration)
    plan.total = bounded(entry.work.duration->draw(options_.seed, entry.outcome.name));
  entry.run.set_plan(pod, plan);
  if (work.work && entry.job.valid()) entry.run.set_common_work(bounded(*work.work), work.checkpoint_every);
}

// ---------------------------------------------------------------- minimum and metrics

// Marks the entry to be settled before time advances. Counts the work done until now first.
void TimedCluster::touch(Entry& entry) {
  entry.run.advance(now_);
  note_news();
  if (std::exchange(entry.is_touched, true)) return;
  touched_.push_back(&entry);
}

void TimedCluster::settle_touched() {
  while (!touched_.empty()) {
    Entry& entry = *touched_.back();
    touched_.pop_back();
    entry.is_touched = false;
    settle(entry);
  }
}

bool TimedCluster::is_at_minimum(const Entry& entry) const {
  bool runs = false;
  for (JobRun::Pod p = 0; !runs && p < entry.run.pods(); ++p) runs = entry.run.is_running(p);
  return runs && (!entry.job.valid() || holds(cluster_.job(entry.job), kRoot));
}

void TimedCluster::settle(Entry& entry) {
  const bool was_at_minimum = entry.run.is_at_minimum();
  entry.run.settle(is_at_minimum(entry));
  if (!was_at_minimum && entry.run.is_at_minimum()) end_wait(entry);
  if (entry.run.lost != entry.lost_reported) {
    meters_.lose(entry.queue, entry.run.lost - entry.lost_reported);
    entry.lost_reported = entry.run.lost;
  }
  if (entry.run.are_all_finished()) return end(entry, false);
  entry.version = ++last_version_;
  if (const auto at = entry.run.next()) events_.plan(*at, EventKind::kJobChanges, entry.slot, entry.version);
  measure(entry);
}

// Updates the metrics of what the job is waiting for.
void TimedCluster::measure(Entry& entry) {
  std::int64_t pending = 0, least = 0;
  for (JobRun::Pod p = 0; p < entry.run.pods(); ++p) {
    if (!entry.run.is_waiting(p)) continue;
    const std::int64_t gpus = entry.run.plan(p).gpus;
    pending += gpus;
    if (gpus > 0 && (least == 0 || gpus < least)) least = gpus;
  }
  if (!entry.job.valid()) return;
  const bool waits = !entry.run.is_at_minimum();
  const std::int64_t want = waits ? missing_gpus(entry) : least;
  meters_.want(pending - entry.pending);
  meters_.wait_for(entry.want, -1);
  meters_.wait_for(want, +1);
  meters_.wait(static_cast<int>(waits) - static_cast<int>(entry.is_counted_waiting));
  entry.pending = pending;
  entry.want = want;
  entry.is_counted_waiting = waits;
}

// Takes the smallest requests among the pods that are still missing from the minimum.
std::int64_t TimedCluster::missing_gpus(const Entry& entry) const {
  std::int64_t sum = 0;
  for (const PodSet& set : cluster_.job(entry.job).pod_sets) {
    const std::int64_t missing =
        set.declared - set.counts.in(kActiveAllocated)-set.counts.of(TaskStatus::kSucceeded);
    std::vector<std::int64_t> waiting;
    for (TaskId t : set.tasks)
      if (cluster_.placement(t).status == TaskStatus::kPending)
        waiting.push_back(cluster_.shape_of(t).charge.units[kGpuUnits]);
    std::ranges::sort(waiting);
    for (std::int64_t i = 0; i < missing && i < std::ssize(waiting); ++i)
      sum += waiting[static_cast<std::size_t>(i)];
  }
  return sum;
}

// ---------------------------------------------------------------- the end

void TimedCluster::end_what_is_due(Entry& entry) {
  touch(entry);
  if (entry.run.is_common_work_done()) return end(entry, false);
  const auto finished = entry.run.due_to_finish();
  for (JobRun::Pod pod : finished) finish(entry, pod);
  for (JobRun::Pod pod : entry.run.due_to_fail())
    if (!fail(entry, pod)) return;
}

void TimedCluster::finish(Entry& entry, JobRun::Pod pod) {
  const TaskId task = entry.pods[pod].task;
  const std::string ns = entry.pods[pod].ns, name = entry.pods[pod].name;
  report("finish", entry, pod);
  release(entry, pod);
  entry.run.finish(pod);
  cluster_.release_claims(task);
  cluster_.observe(task, {.phase = PodPhase::kSucceeded});
  if (controllers_ != nullptr && entry.job.valid()) controllers_->pod_finished(*this, ns, name);
}

// Removes the pods, and the job with them.
void TimedCluster::end(Entry& entry, bool has_failed) {
  const bool is_listed = entry.job.valid();
  const std::string name = entry.outcome.name;
  for (JobRun::Pod p = 0; p < entry.run.pods(); ++p) {
    PodFacts& facts = entry.pods[p];
    if (entry.run.is_gone(p)) continue;
    if (entry.run.has_place(p)) {
      report(has_failed ? "fail" : "finish", entry, p);
      release(entry, p);
    }
    entry.run.finish(p);
    cluster_.release_claims(facts.task);
    by_task_.erase(facts.task);
    facts.task = TaskId();
    cluster_.remove(PodObject::kKind, facts.ns, facts.name);
  }
  if (!is_listed) return drop(entry);
  (has_failed ? entry.outcome.failed : entry.outcome.finished) = now_;
  if (!has_failed) last_finish_ = now_;
  const Job& job = cluster_.job(entry.job);
  const std::string ns = job.ns, job_name = job.name;
  cluster_.remove(PodGroupObject::kKind, ns, job_name);
  if (on_occurrence_)
    on_occurrence_({.at = now_,
                    .kind = has_failed ? "fail" : "finish",
                    .job = name,
                    .pod = {},
                    .node = {},
                    .action = {},
                    .preemptor = {}});
  forget(entry);
  if (controllers_ != nullptr) controllers_->job_ended(*this, name, has_failed);
}

// Records the outcome when the job is gone or the run is over.
void TimedCluster::forget(Entry& entry) {
  meters_.want(-entry.pending);
  meters_.wait_for(entry.want, -1);
  meters_.wait(-static_cast<int>(entry.is_counted_waiting));
  note_end(entry);
  drop(entry);
}

void TimedCluster::note_end(Entry& entry) {
  if (!entry.job.valid()) return;
  JobOutcome& outcome = entry.outcome;
  const auto is_after_end = [&](const auto& wait) { return wait.from > now_; };
  if (std::erase_if(outcome.waits, is_after_end) > 0) {
    entry.wait_rule.reset();
    if (!outcome.waits.empty()) outcome.waits.back().to = std::min(outcome.waits.back().to, now_);
  }
  if (!entry.run.is_at_minimum() && !outcome.waits.empty() && !outcome.has_ended())
    outcome.reason = outcome.waits.back().reason;
  end_wait(entry);
  outcome.first_start = entry.run.first_start;
  outcome.run = entry.run.run;
  outcome.queued = entry.run.queued;
  outcome.held_idle = entry.run.held_idle;
  outcome.needed = entry.run.undisturbed();
  outcome.starts = entry.run.starts;
  outcome.used = entry.run.used;
  outcome.lost = entry.run.lost;
  ended_.push_back(std::move(outcome));
}

}  // namespace muster
