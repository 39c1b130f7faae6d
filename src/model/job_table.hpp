// The jobs and their tasks: lookup by name, membership, placements, and lists of jobs by state.
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
  // ---- Lookup by name. A name that was only mentioned has an entry without an object. Ids are reused.
  JobId mention_job(std::string_view ns, std::string_view name);
  TaskId mention_task(std::string_view ns, std::string_view name);
  // Not valid if it does not exist.
  JobId find_job(std::string_view ns, std::string_view name) const;
  TaskId find_task(std::string_view ns, std::string_view name) const;
  void free(TaskId id);
  // Frees a job that has neither an object nor tasks.
  void free_if_unused(JobId id);

  const IdVector<JobId, Job>& jobs() const { return jobs_; }
  const IdVector<TaskId, Task>& tasks() const { return tasks_; }
  Job& job(JobId id) { return jobs_[id]; }
  const Job& job(JobId id) const { return jobs_[id]; }
  Task& task(TaskId id) { return tasks_[id]; }
  const Task& task(TaskId id) const { return tasks_[id]; }
  Placement& placement(TaskId id) { return placements_[id]; }
  const Placement& placement(TaskId id) const { return placements_[id]; }

  // ---- Membership
  // Adds the task to the pod set it names, or to the outsiders of the job.
  void join(TaskId task, JobId job);
  // Removes the task from its job, which is returned.
  JobId leave(TaskId task);
  // For a task that belongs to no pod set and counts as a job of its own for a while.
  void join_alone(TaskId task, JobId job);
  void leave_alone(TaskId task);
  std::vector<TaskId> members(JobId job) const;

  // ---- Status counts
  // A task of a pod set gets the status (sign 1) or loses it (sign −1).
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
  // Gives the job a new version.
  void note_change(Job& job) { job.version = ++last_version_; }
  void mark_stale(JobId job, std::optional<TimePoint> since);
  // Updates the lists below after the job's object changed.
  void sort_in(JobId job);

  // ---- Lists of jobs, in arbitrary order
  // Jobs with a pending task.
  std::span<const JobId> pending() const { return pending_.items(); }
  // Jobs with tasks on nodes but with an incomplete gang.
  std::span<const JobId> broken_gangs() const { return broken_.items(); }
  // Jobs with a stale timestamp.
  std::span<const JobId> stale() const { return stale_.items(); }
  // Jobs that declare an expected runtime.
  std::span<const JobId> opted_in() const { return opted_in_.items(); }
  bool is_pending(JobId job) const { return pending_.contains(job); }
  bool is_broken(JobId job) const { return broken_.contains(job); }

  // Jobs without an object whose pods are on nodes.
  std::span<const JobId> groupless() const { return groupless_.items(); }

  bool finished_pods_count = false;  // from options_.compatibility of the cluster

  // Jobs whose priority and preemptibility must be resolved again.
  IdSet<JobId> unresolved;
  // Jobs that request to be less preemptible than they are.
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
  absl::flat_hash_map<std::string, JobId> job_ids_;    // by key_of()
  absl::flat_hash_map<std::string, TaskId> task_ids_;  // by key_of()
  IdSet<JobId> pending_, broken_, stale_, opted_in_, groupless_;
  std::uint64_t last_version_ = 0;
};

}  // namespace muster
