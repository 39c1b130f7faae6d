// One cycle over one cluster: the hooks that the plugins filled, caches that live until the end of the cycle,
// and the decisions.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/cycle/cycle_context.hpp"
#include "engine/cycle/hooks.hpp"
#include "engine/cycle/policy.hpp"
#include "model/cluster.hpp"
#include "model/decisions.hpp"
#include "model/id_set.hpp"

namespace muster {

class DemandIndex;
class GpuRoom;
class NodeFinder;
class SelectorResults;
class Signatures;
class VictimPool;

// By creation time, then uid: breaks all remaining ties.
struct Age {
  TimePoint created;
  std::string_view uid;
  auto operator<=>(const Age&) const = default;
};
template <class T>
Age age(const T& x) {
  return {x.created, x.uid};
}
inline Age age(const Queue& queue) { return {queue.meta.created, queue.meta.uid}; }

// By namespace, then name: the order of lists for users.
template <class T>
bool is_listed_before(const T& x, const T& y) {
  return x.ns != y.ns ? x.ns < y.ns : x.name < y.name;
}

inline bool is_at_or_below(const Cluster& cluster, QueueId queue, QueueId ancestor) {
  for (QueueId q = queue; q.valid(); q = cluster.queue(q).parent)
    if (q == ancestor) return true;
  return false;
}

// The topmost ancestors, one on each side, that differ.
inline std::pair<QueueId, QueueId> leveled_pair(const Cluster& c, QueueId a, QueueId b) {
  while (c.queue(a).depth > c.queue(b).depth) a = c.queue(a).parent;
  while (c.queue(b).depth > c.queue(a).depth) b = c.queue(b).parent;
  while (a != b && c.queue(a).parent != c.queue(b).parent) a = c.queue(a).parent, b = c.queue(b).parent;
  return {a, b};
}

// Whether victims that a statement evicted count as pending again, or as gone.
enum class Evicted : std::uint8_t { kWaitAgain, kAreGone };

// The tasks of a job that are tried together, and what its queue would be charged for them.
struct Chunk {
  absl::InlinedVector<TaskId, 4> tasks;
  Demand wanted;  // GPU memory is converted by the smallest GPU of the cluster
  std::uint64_t version = 0;
  Evicted evicted = Evicted::kAreGone;
  bool has_evicted = false;  // its tasks include evicted victims, so `Evicted` matters
};

// The placement of a task before it was moved.
struct TaskMove {
  TaskId task;
  Placement before;
};

class Session {
 public:
  Session(Cluster& cluster, const Policy& policy, TimePoint now, const CycleContext& aids = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Cluster& cluster;
  const EngineSettings& settings;
  const TimePoint now;
  const std::string now_text;  // `now` as written to annotations
  Hooks hooks;
  Decisions decisions;
  ActionStats stats;           // of the current action
  SearchMemory* const memory;  // searches that earlier cycles ended early; may be null
  // The results of this cycle, and of earlier cycles if the caller keeps them.
  SelectorResults& selector_results() { return *selector_results_; }
  const SelectorResults& selector_results() const { return *selector_results_; }

  // The pending jobs that the cycle considers, in arbitrary order.
  std::vector<JobId> waiting() const;
  // Elapsed time, for limits and timings only; decisions use `now`.
  Duration elapsed() const { return aids_.elapsed(); }
  // Whether the caller wants to know how many nodes refuse the job, and why.
  bool counts_refusals(JobId job) const {
    return aids_.known_to_wait == nullptr || !aids_.known_to_wait->contains(job);
  }
  // Whether a failing attempt for the job may be skipped silently because it affects neither reports nor
  // other jobs. With KAI's comparison, a failed job keeps other jobs that ask for less from being tried.
  bool passes_over_in_vain(JobId job) const {
    return settings.compatibility.compare_failed_fully && !counts_refusals(job);
  }

  // Increases with every change that is not undone.
  std::uint64_t changes() const { return changes_; }
  void note_change() { ++changes_; }
  // The pending jobs that are considered (waiting_jobs.hpp), by creation time, then uid.
  std::span<const JobId> waiting_by_age();
  // The victims of the last action, for reuse by the next one; null if there are none.
  std::unique_ptr<VictimPool> cached_victims;
  std::unique_ptr<GpuRoom> spare_room;  // room of the last action, likewise

  // Buffers that statements reuse.
  std::vector<TaskMove> spare_log;
  Stamps<TaskId> spare_tasks;

  NodeFinder& finder() { return *finder_; }
  // The demands of pending jobs, for searches.
  DemandIndex& demand_index();
  // Signatures by which KAI compares pending jobs, as of the opening of the cycle. Not computed unless KAI's
  // comparison is enabled.
  const Signatures& signatures() const { return *signatures_; }
  void take_signatures();

  // All changes of a cycle go through this function.
  void move(TaskId task, const Placement& to);
  // Increases when a task leaves a node, because that may make room for others.
  std::uint64_t departures() const { return departures_; }

  // The tasks of a job to try next. Valid until the job changes.
  const Chunk& chunk(JobId job, Evicted evicted = Evicted::kWaitAgain);
  // The tasks of a pod set in task order.
  std::span<const TaskId> ordered_tasks(JobId job, std::uint32_t pod_set);

  // The tasks among these that would count as non-preemptible: all, none, or those that a semi-preemptible
  // job lacks to reach its minimum.
  std::vector<TaskId> core_part(JobId job, std::span<const TaskId> tasks) const;

  // The sum of the tasks' requests. GPU memory is converted by devices of `gpu_mib`; 0: not counted.
  Demand demand(std::span<const TaskId> tasks, std::int64_t gpu_mib) const;
  // Whether `a` comes before `b` by all plugins and tie-breakers. A pending job that was requeued counts as
  // created at that time; running jobs are ordered by their real creation time.
  bool job_before(const JobEntry& a, const JobEntry& b) const;
  bool senior(const JobEntry& a, const JobEntry& b) const;
  bool task_before(TaskId a, TaskId b) const;
  JobEntry entry(JobId job) const { return entry(job, elastic_state(cluster.job(job))); }
  JobEntry entry(JobId job, ElasticState elastic) const {
    return {.job = job, .rank = hooks.job_rank(job, elastic)};
  }

  // The cycle may decide differently from this time on, even if nothing else changes.
  void wake_at(TimePoint moment) {
    auto& first = decisions.next_deadline;
    if (moment > now && (!first || moment < *first)) first = moment;
  }
  void wake_at(const std::optional<TimePoint>& moment) {
    if (moment) wake_at(*moment);
  }

  // ---- Records
  void bind(TaskId task);
  void record_eviction(TaskId task, const std::string& action, JobId preemptor);
  void record_pipelined(TaskId task) { pipelined_.push_back(task); }
  // The tasks that committed statements nominated; some may have been moved since.
  std::span<const TaskId> pipelined() const { return pipelined_; }
  // The job starts, or loses a pod, in this cycle. Undone if all its binds or evictions are withdrawn.
  void note_start(JobId job);
  void note_eviction(JobId job);
  // Actions of this cycle so far, counting each round.
  std::uint64_t actions() const { return actions_; }
  void begin_action(const std::string& name) { ++actions_, stats = {.action = name}; }
  // Adds the statistics of the current action to the decisions.
  void record_stats();
  void annotate(JobId job, std::string key, std::optional<std::string> value);
  // Sets why the job is pending; replaces all earlier reasons.
  void set_reason(JobId job, JobReason&& reason);
  // Adds a reason, at most one per rule.
  void add_reason(JobId job, JobReason reason);
  // The reasons so far.
  std::span<const JobReason> reasons(JobId job) const;
  // Records a search that made no room for the job.
  void record_search(JobId job, SearchReport report) { searches_[job].push_back(std::move(report)); }

  // Undoes binds of tasks that a later action evicted. Returns whether there were any.
  bool withdraw_binds();
  // Whether any bind of this cycle was withdrawn.
  bool has_withdrawn() const { return has_withdrawn_; }
  // Call before the actions run again in this cycle.
  void begin_round();
  // Releases pipelined places, turns the rest into assumptions, and returns the decisions.
  Decisions close();

 private:
  void collect_tasks(JobId job, Chunk& chunk);
  bool take_tasks(JobId job, std::uint32_t pod_set, std::int32_t at_most, Chunk& chunk);
  bool waits(TaskId task, Evicted evicted) const;
  void settle_pipelined();
  std::vector<TaskId> drop_evictions_of_bound();
  void forget_displaced(std::span<const EvictDecision> dropped);
  std::vector<JobId> half_bound(std::span<const TaskId> withdrawn) const;
  void withdraw(TaskId task);
  void withdraw_gang(JobId job);
  void undo_notes(JobId job);
  void settle_evicted();
  bool is_as_known(JobId job) const;
  void collect_waiting();
  void collect_shares();
  void collect_fragments();

  const CycleContext aids_;
  std::unique_ptr<SelectorResults> own_selector_results_;  // if the caller keeps none
  SelectorResults* selector_results_ = nullptr;
  std::vector<std::unique_ptr<Plugin>> plugins_;
  std::unique_ptr<NodeFinder> finder_;
  std::unique_ptr<DemandIndex> demand_index_;
  std::unique_ptr<Signatures> signatures_;
  absl::flat_hash_map<JobId, Chunk> chunks_;
  struct OrderedTasks {
    std::vector<TaskId> sorted;     // empty: the pod set's own list is in order
    std::size_t first_waiting = 0;  // no task before this index is pending
  };
  absl::flat_hash_map<std::pair<JobId, std::uint32_t>, OrderedTasks> ordered_tasks_;  // by job and pod set
  struct Reported {
    std::vector<JobReason> reasons;
    // The job's version if no node took it and the caller knows that; 0: must be reported.
    std::uint64_t as_known = 0;
  };
  absl::flat_hash_map<JobId, Reported> reported_;
  absl::flat_hash_map<JobId, std::vector<SearchReport>> searches_;
  absl::flat_hash_map<JobId, std::size_t> patches_;
  struct JobTimes {
    std::optional<TimePoint> last_start, last_eviction;
  };
  absl::flat_hash_map<JobId, JobTimes> times_before_;  // of jobs that started or lost pods in this cycle
  std::uint64_t departures_ = 0, changes_ = 1, actions_ = 0;
  std::uint64_t waiting_as_of_ = 0;
  std::vector<JobId> waiting_by_age_;
  bool has_withdrawn_ = false;
  std::vector<TaskId> pipelined_;  // by committed statements; some may have been moved since
};

}  // namespace muster
