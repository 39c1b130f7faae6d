// One cycle over one cluster: the hooks as the plugins filled them, what is remembered until the cycle's end,
// and what was decided.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include <memory>
#include <vector>

#include "engine/cycle/hooks.hpp"
#include "engine/cycle/policy.hpp"
#include "engine/place/stamps.hpp"
#include "model/cluster.hpp"
#include "model/decisions.hpp"

namespace muster {

class NodeFinder;
class SearchMemory;
class Signatures;

// The tasks of a job that are tried at once, and what its queue would be charged for them.
struct Chunk {
  absl::InlinedVector<TaskId, 4> tasks;
  Demand wanted;  // GPU memory by the smallest GPU of the cluster
  std::uint64_t version = 0;
  bool simulated = false;
  bool has_evicted = false;  // a victim of a simulation is among its tasks, so `simulated` matters
};

// Where a task was before it was moved.
struct TaskMove {
  TaskId task;
  Placement before;
};

class Session {
 public:
  Session(Cluster& cluster, const Policy& policy, TimePoint now, SearchMemory* memory = nullptr);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Cluster& cluster;
  const Policy& policy;
  const EngineSettings& settings;
  const TimePoint now;
  const std::string now_text;  // as annotations have it
  Hooks hooks;
  Decisions decisions;
  ActionStats stats;           // of the action at work
  SearchMemory* const memory;  // of searches that earlier cycles cut short; null: none

  // Buffers of statements.
  std::vector<TaskMove> spare_log;
  Stamps<TaskId> spare_tasks;

  NodeFinder& finder() { return *finder_; }
  // Of the waiting jobs as they were when the cycle opened.
  const Signatures& signatures() const { return *signatures_; }
  void take_signatures();

  // All changes of a cycle go through here.
  void move(TaskId task, const Placement& to);

  // The tasks to try next, of a live job; `simulated`: victims evicted in this simulation count as waiting.
  // Valid until the job changes.
  const Chunk& chunk(JobId job, bool simulated);
  // The tasks of a pod set in task order.
  const std::vector<TaskId>& ordered_tasks(JobId job, std::uint32_t pod_set);

  // The tasks among them that would count as non-preemptible: all, none, or what a semi-preemptible job still
  // lacks of its minimum.
  std::vector<TaskId> core_part(JobId job, std::span<const TaskId> tasks) const;

  // What the tasks ask for, GPU memory counted by devices of `gpu_mib` (0: not at all).
  Demand demand(std::span<const TaskId> tasks, std::int64_t gpu_mib) const;
  // Is `a` before `b`, all plugins and fallbacks considered? Among waiting jobs a requeued one counts as
  // created then; among running ones seniority is by real creation time.
  bool job_before(const JobEntry& a, const JobEntry& b) const;
  bool senior(const JobEntry& a, const JobEntry& b) const;
  bool task_before(TaskId a, TaskId b) const;
  JobEntry entry(JobId job) const { return {job, elastic_state(cluster.job(job))}; }

  // ---- what happened
  void bound(TaskId task);
  void evicted(TaskId task, const std::string& action, JobId contender);
  void pipelined(TaskId task) { pipelined_.push_back(task); }
  void annotate(JobId job, std::string key, std::optional<std::string> value);
  // What stands in the way of a job; replaces what was said before.
  void waits(JobId job, JobReason reason);
  // Stands beside what was said before; the same rule is not said twice.
  void adds_reason(JobId job, JobReason reason);
  void no_longer_waits(JobId job) { reasons_.erase(job); }
  // A search for the job made no room.
  void searched_in_vain(JobId job, SearchReport report) { searches_[job].push_back(std::move(report)); }

  // Gives pipelined places back, turns the rest into assumptions, and hands over the decisions.
  Decisions close();

 private:
  bool take_tasks(JobId job, std::uint32_t pod_set, std::int32_t at_most, Chunk& chunk);
  void settle_pipelined();
  void settle_evicted();
  void collect_waiting();
  void collect_shares();

  std::vector<std::unique_ptr<Plugin>> plugins_;
  std::unique_ptr<NodeFinder> finder_;
  std::unique_ptr<Signatures> signatures_;
  absl::flat_hash_map<JobId, Chunk> chunks_;
  absl::flat_hash_map<JobId, std::vector<JobReason>> reasons_;
  absl::flat_hash_map<JobId, std::vector<SearchReport>> searches_;
  absl::flat_hash_map<JobId, std::size_t> patches_;
  std::vector<TaskId> pipelined_;  // by committed statements; some may have moved on since
  std::uint64_t task_order_stamp_ = 0;
};

}  // namespace muster
