// One cycle over one cluster: the hooks as the plugins filled them, what is remembered until the cycle's end,
// and what was decided.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/cycle/cycle_aids.hpp"
#include "engine/cycle/hooks.hpp"
#include "engine/cycle/policy.hpp"
#include "model/cluster.hpp"
#include "model/decisions.hpp"
#include "model/id_set.hpp"

namespace muster {

class Asks;
class GpuRoom;
class NodeFinder;
class Signatures;
class VictimPool;

// By creation time, then uid: what decides where nothing else does.
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

// By namespace, then name: the order of lists for people.
template <class T>
bool is_listed_before(const T& x, const T& y) {
  return x.ns != y.ns ? x.ns < y.ns : x.name < y.name;
}

inline bool is_at_or_below(const Cluster& cluster, QueueId queue, QueueId ancestor) {
  for (QueueId q = queue; q.valid(); q = cluster.queue(q).parent)
    if (q == ancestor) return true;
  return false;
}

// The first queues from the top on both sides that are not the same.
inline std::pair<QueueId, QueueId> leveled_pair(const Cluster& c, QueueId a, QueueId b) {
  while (c.queue(a).depth > c.queue(b).depth) a = c.queue(a).parent;
  while (c.queue(b).depth > c.queue(a).depth) b = c.queue(b).parent;
  while (a != b && c.queue(a).parent != c.queue(b).parent) a = c.queue(a).parent, b = c.queue(b).parent;
  return {a, b};
}

// What victims count as that a statement evicted and may place again.
enum class Evicted : std::uint8_t { kWaitAgain, kAreGone };

// The tasks of a job that are tried at once, and what its queue would be charged for them.
struct Chunk {
  absl::InlinedVector<TaskId, 4> tasks;
  Demand wanted;  // GPU memory by the smallest GPU of the cluster
  std::uint64_t version = 0;
  Evicted evicted = Evicted::kAreGone;
  bool has_evicted = false;  // such a victim is among its tasks, so `evicted` matters
};

// Where a task was before it was moved.
struct TaskMove {
  TaskId task;
  Placement before;
};

class Session {
 public:
  Session(Cluster& cluster, const Policy& policy, TimePoint now, const CycleAids& aids = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Cluster& cluster;
  const EngineSettings& settings;
  const TimePoint now;
  const std::string now_text;  // as annotations have it
  Hooks hooks;
  Decisions decisions;
  ActionStats stats;           // of the action at work
  SearchMemory* const memory;  // of searches that earlier cycles cut short; null: none

  // The jobs that wait and that the cycle is to look at, in no particular order.
  std::vector<JobId> waiting() const;
  // Time that has passed, for limits and timings; decisions are made by `now`.
  Duration elapsed() const { return aids_.elapsed(); }
  // Somebody wants to know how many nodes refuse the job, and for what.
  bool counts_refusals(JobId job) const {
    return aids_.known_to_wait == nullptr || !aids_.known_to_wait->contains(job);
  }
  // Nobody is told of it, and nobody fares otherwise if it is not even tried in vain. In KAI's way one that
  // failed keeps others from being tried that ask for less.
  bool passes_over_in_vain(JobId job) const {
    return settings.compatibility.compare_failed_fully && !counts_refusals(job);
  }

  // Grows with every change that is not taken back.
  std::uint64_t changes() const { return changes_; }
  void note_change() { ++changes_; }
  // Those who wait and take part (waiting_jobs.hpp), by creation time, then uid.
  std::span<const JobId> waiting_by_age();
  // The victims of the action that ran last, for the next one; null: none are known.
  std::unique_ptr<VictimPool> spare_victims;
  std::unique_ptr<GpuRoom> spare_room;  // likewise

  // Buffers of statements.
  std::vector<TaskMove> spare_log;
  Stamps<TaskId> spare_tasks;

  NodeFinder& finder() { return *finder_; }
  // What waiting jobs ask of a search.
  Asks& asks();
  // KAI's way to compare waiting jobs, as they were when they were first taken: when the cycle opened. Where
  // they are off, or our way is on, none are taken.
  const Signatures& signatures() const { return *signatures_; }
  void take_signatures();

  // All changes of a cycle go through here.
  void move(TaskId task, const Placement& to);
  // Grows when a task leaves a node: who was in the way of others may be no longer.
  std::uint64_t departures() const { return departures_; }

  // The tasks to try next, of a live job. Valid until the job changes.
  const Chunk& chunk(JobId job, Evicted evicted = Evicted::kWaitAgain);
  // The tasks of a pod set in task order.
  std::span<const TaskId> ordered_tasks(JobId job, std::uint32_t pod_set);

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
  JobEntry entry(JobId job) const { return entry(job, elastic_state(cluster.job(job))); }
  JobEntry entry(JobId job, ElasticState elastic) const {
    return {.job = job, .rank = hooks.job_rank(job, elastic)};
  }

  // From that moment on the cycle might decide something else, though nothing but time has changed.
  void wake_at(TimePoint moment) {
    auto& first = decisions.next_moment;
    if (moment > now && (!first || moment < *first)) first = moment;
  }
  void wake_at(const std::optional<TimePoint>& moment) {
    if (moment) wake_at(*moment);
  }

  // ---- what happened
  void bind(TaskId task);
  void record_eviction(TaskId task, const std::string& action, JobId contender);
  void record_pipelined(TaskId task) { pipelined_.push_back(task); }
  void annotate(JobId job, std::string key, std::optional<std::string> value);
  // What stands in the way of a job; replaces what was said before.
  void set_reason(JobId job, JobReason&& reason);
  // Stands beside what was said before; the same rule is not said twice.
  void add_reason(JobId job, JobReason reason);
  // What was said so far.
  std::span<const JobReason> reasons(JobId job) const;
  // A search for the job made no room.
  void record_search(JobId job, SearchReport report) { searches_[job].push_back(std::move(report)); }

  // Gives pipelined places back, turns the rest into assumptions, and hands over the decisions.
  Decisions close();

 private:
  void collect_tasks(JobId job, Chunk& chunk);
  bool take_tasks(JobId job, std::uint32_t pod_set, std::int32_t at_most, Chunk& chunk);
  bool waits(TaskId task, Evicted evicted) const;
  void settle_pipelined();
  void withdraw_binds();
  std::vector<TaskId> drop_evictions_of_bound();
  std::vector<JobId> half_bound(std::span<const TaskId> withdrawn) const;
  void withdraw(TaskId task);
  void withdraw_gang(JobId job);
  void forget_annotations(JobId job);
  void settle_evicted();
  bool is_as_known(JobId job) const;
  void collect_waiting();
  void collect_shares();
  void collect_fragments();

  const CycleAids aids_;
  std::vector<std::unique_ptr<Plugin>> plugins_;
  std::unique_ptr<NodeFinder> finder_;
  std::unique_ptr<Asks> asks_;
  std::unique_ptr<Signatures> signatures_;
  absl::flat_hash_map<JobId, Chunk> chunks_;
  struct OrderedTasks {
    std::vector<TaskId> sorted;     // empty: the pod set's own list is in order
    std::size_t first_waiting = 0;  // none before it waits
  };
  absl::flat_hash_map<std::pair<JobId, std::uint32_t>, OrderedTasks> ordered_tasks_;  // by job and pod set
  struct Said {
    std::vector<JobReason> reasons;
    std::uint64_t as_known = 0;  // the job's version when no node took it, which the caller knows; 0: news
  };
  absl::flat_hash_map<JobId, Said> said_;
  absl::flat_hash_map<JobId, std::vector<SearchReport>> searches_;
  absl::flat_hash_map<JobId, std::size_t> patches_;
  std::uint64_t departures_ = 0, changes_ = 1;
  std::uint64_t waiting_as_of_ = 0;
  std::vector<JobId> waiting_by_age_;
  std::vector<TaskId> pipelined_;  // by committed statements; some may have moved on since
};

}  // namespace muster
