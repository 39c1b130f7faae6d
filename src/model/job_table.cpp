// Reuses ids that nothing refers to, and keeps lists of jobs by status up to date with every task change.
#include "model/job_table.hpp"

#include <algorithm>
#include <utility>

namespace muster {
namespace {

template <class Map>
auto find_in(const Map& map, const std::string& key) {
  const auto found = map.find(key);
  return found == map.end() ? typename Map::mapped_type() : found->second;
}

// Returns a free id, or a new one.
template <class I, class T>
I take_id(std::vector<I>& free, IdVector<I, T>& all) {
  if (free.empty()) return all.push_back({});
  const I id = free.back();
  free.pop_back();
  all[id] = T();
  return id;
}

}  // namespace

// ---------------------------------------------------------------- by name

JobId JobTable::mention_job(std::string_view ns, std::string_view name) {
  const auto [found, is_new] = job_ids_.try_emplace(key_of(ns, name), JobId());
  if (!is_new) return found->second;
  found->second = take_id(free_jobs_, jobs_);
  Job& job = jobs_[found->second];
  job.ns = ns;
  job.name = name;
  note_change(job);
  build_tree(PodGroupObject{}, job);
  return found->second;
}

TaskId JobTable::mention_task(std::string_view ns, std::string_view name) {
  const auto [found, is_new] = task_ids_.try_emplace(key_of(ns, name), TaskId());
  if (!is_new) return found->second;
  found->second = take_id(free_tasks_, tasks_);
  placements_.resize(tasks_.size());
  placements_[found->second] = {.status = TaskStatus::kGone};
  return found->second;
}

JobId JobTable::find_job(std::string_view ns, std::string_view name) const {
  return find_in(job_ids_, key_of(ns, name));
}

TaskId JobTable::find_task(std::string_view ns, std::string_view name) const {
  return find_in(task_ids_, key_of(ns, name));
}

void JobTable::free(TaskId id) {
  task_ids_.erase(key_of(tasks_[id].ns, tasks_[id].name));
  tasks_[id] = Task{.alive = false};
  free_tasks_.push_back(id);
}

void JobTable::free_if_unused(JobId id) {
  const Job& job = jobs_[id];
  const bool has_tasks =
      !job.outsiders.empty() ||
      std::any_of(job.pod_sets.begin(), job.pod_sets.end(), [](const PodSet& p) { return !p.tasks.empty(); });
  if (job.present || !job.in_partition || has_tasks)
    return;  // a job of another node pool has an object as well
  job_ids_.erase(key_of(job.ns, job.name));
  for (IdSet<JobId>* set : {&unresolved, &held_back, &pending_, &broken_, &stale_, &opted_in_, &groupless_})
    set->erase(id);
  free_jobs_.push_back(id);
}

// ---------------------------------------------------------------- membership

void JobTable::join(TaskId t, JobId id) {
  Task& task = tasks_[t];
  Job& job = jobs_[id];
  const std::string_view wanted = task.sub_group.empty() ? "default" : std::string_view(task.sub_group);
  task.job = task.group = id;
  task.pod_set = find_pod_set(job, wanted).value_or(Task::kNoSet);
  if (task.pod_set == Task::kNoSet) return job.outsiders.push_back(t);
  job.pod_sets[task.pod_set].tasks.push_back(t);
}

JobId JobTable::leave(TaskId t) {
  Task& task = tasks_[t];
  Job& job = jobs_[task.job];
  auto& tasks = task.pod_set == Task::kNoSet ? job.outsiders : job.pod_sets[task.pod_set].tasks;
  tasks.erase(std::find(tasks.begin(), tasks.end(), t));
  task.pod_set = Task::kNoSet;
  task.group = {};
  return std::exchange(task.job, JobId());
}

void JobTable::join_alone(TaskId t, JobId id) {
  tasks_[t].job = id;
  tasks_[t].pod_set = 0;
  jobs_[id].pod_sets[0].tasks.push_back(t);
}

void JobTable::leave_alone(TaskId t) {
  Task& task = tasks_[t];
  jobs_[task.job].pod_sets[0].tasks.clear();
  task.job = task.group;  // the job it is an outsider of, or no job
  task.pod_set = Task::kNoSet;
}

std::vector<TaskId> JobTable::members(JobId id) const {
  std::vector<TaskId> members = jobs_[id].outsiders;
  for (const PodSet& p : jobs_[id].pod_sets) members.insert(members.end(), p.tasks.begin(), p.tasks.end());
  return members;
}

// ---------------------------------------------------------------- status counts

void JobTable::clear_counts() {
  for (Job& job : jobs_) {
    job.counts = {};
    job.held = {};
    for (PodSet& p : job.pod_sets) p.counts = {}, p.minimum = p.declared;
    settle_standing(job);
  }
}

void JobTable::mark_stale(JobId id, std::optional<TimePoint> since) {
  jobs_[id].stale_since = since;
  stale_.set(id, since.has_value());
}

void JobTable::sort_in(JobId id) {
  const Job& job = jobs_[id];
  stale_.set(id, job.stale_since.has_value());
  opted_in_.set(id, job.expected_runtime.has_value());
  classify(id);
}

}  // namespace muster
