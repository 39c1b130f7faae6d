// The jobs and their tasks: by name, who belongs to whom, where tasks stand, and which jobs want a look.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/id_set.hpp"
#include "model/job.hpp"
#include "model/task.hpp"

namespace muster {

class JobTable {
 public:
  // ---- by name. What is only mentioned is there as a name; ids of what is gone are used again.
  JobId mention_job(std::string_view ns, std::string_view name);
  TaskId mention_task(std::string_view ns, std::string_view name);
  // Not valid: there is none.
  JobId find_job(std::string_view ns, std::string_view name) const;
  TaskId find_task(std::string_view ns, std::string_view name) const;
  void free(TaskId id);
  // A job without object and tasks.
  void free_if_unused(JobId id);

  const IdVector<JobId, Job>& jobs() const { return jobs_; }
  const IdVector<TaskId, Task>& tasks() const { return tasks_; }
  Job& job(JobId id) { return jobs_[id]; }
  const Job& job(JobId id) const { return jobs_[id]; }
  Task& task(TaskId id) { return tasks_[id]; }
  const Task& task(TaskId id) const { return tasks_[id]; }
  Placement& placement(TaskId id) { return placements_[id]; }
  const Placement& placement(TaskId id) const { return placements_[id]; }

  // ---- who belongs to whom
  // Into the pod set that the task names, or among the outsiders.
  void join(TaskId task, JobId job);
  // The job that it was of.
  JobId leave(TaskId task);
  // One that belongs to no pod set counts as a job of its own for a while.
  void join_alone(TaskId task, JobId job);
  void leave_alone(TaskId task);
  std::vector<TaskId> members(JobId job) const;

  // ---- how tasks stand
  // A task of a pod set has the status (sign 1), or no longer has it (−1).
  void count(const Task& task, TaskStatus status, int sign) {
    Job& job = jobs_[task.job];
    PodSet& set = job.pod_sets[task.pod_set];
    job.counts.add(status, sign);
    set.counts.add(status, sign);
    if (finished_pods_count &&
        (status == TaskStatus::kSucceeded || set.counts.of(TaskStatus::kSucceeded) > 0))
      set.settle_minimum();
    settle_standing(job, set);
    note_change(job);
    classify(task.job);
  }
  void clear_counts();
  // Something of the job is different now.
  void note_change(Job& job) { job.version = ++last_version_; }
  void mark_stale(JobId job, std::optional<TimePoint> since);
  // What its object says changed: into the lists below, or out of them.
  void sort_in(JobId job);

  // ---- jobs in no particular order
  // That have a pending task.
  std::span<const JobId> pending() const { return pending_.items(); }
  // Whose gang is not whole though some run.
  std::span<const JobId> broken_gangs() const { return broken_.items(); }
  // That carry a stale time.
  std::span<const JobId> stale() const { return stale_.items(); }
  // That say how long they expect to run.
  std::span<const JobId> opted_in() const { return opted_in_.items(); }
  bool is_pending(JobId job) const { return pending_.contains(job); }
  bool is_broken(JobId job) const { return broken_.contains(job); }

  // Pods of theirs stand on nodes, and they have no object.
  std::span<const JobId> groupless() const { return groupless_.items(); }

  bool finished_pods_count = false;  // options_.compatibility of the cluster

  // Their priority and preemptibility are to be resolved.
  IdSet<JobId> unresolved;
  // They asked to be less preemptible than they are.
  IdSet<JobId> held_back;

 private:
  void classify(JobId id) {
    const Job& job = jobs_[id];
    pending_.set(id, job.present && job.has_pending());
    const bool broken =
        job.counts.of(TaskStatus::kSucceeded) == 0 && job.counts.in(kActiveUsed) > 0 && job.short_sets > 0;
    broken_.set(id, job.present && broken);
    groupless_.set(id, !job.present && !job.is_of_one_pod && job.counts.in(kActiveUsed) > 0);
  }

  IdVector<JobId, Job> jobs_;
  IdVector<TaskId, Task> tasks_;
  IdVector<TaskId, Placement> placements_;
  std::vector<JobId> free_jobs_;
  std::vector<TaskId> free_tasks_;
  absl::flat_hash_map<std::string, JobId> job_ids_;    // as key_of() has it
  absl::flat_hash_map<std::string, TaskId> task_ids_;  // likewise
  IdSet<JobId> pending_, broken_, stale_, opted_in_, groupless_;
  std::uint64_t last_version_ = 0;
};

}  // namespace muster
