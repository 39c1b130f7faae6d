// The extension points through which plugins set the policy of the engine, each with its contract. The type
// of a hook says how the answers of several plugins are combined: hook_kinds.hpp.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/cycle/hook_kinds.hpp"
#include "engine/cycle/score_hook.hpp"
#include "model/decisions.hpp"
#include "model/holding.hpp"
#include "model/ids.hpp"
#include "model/job.hpp"
#include "model/reasons.hpp"
#include "model/requeue_record.hpp"
#include "model/resources.hpp"
#include "model/task.hpp"
#include "util/bitmap.hpp"

namespace muster {

// ---------------------------------------------------------------- arguments of hooks

// Sets of nodes that a group of a job may use, to be tried one after another.
class NodeSets {
 public:
  virtual ~NodeSets() = default;
  // The next set, as node ranks; null at the end. Valid until the next call.
  virtual const Bitmap* next() = 0;
  // The location of the last set, for messages.
  virtual const std::string& place() const = 0;
  // Why there was no set at all.
  virtual JobReason refusal() const = 0;
};

// A job as an order sees it, made by Session::entry(). A copy of a job with fewer tasks has its own rank.
struct JobEntry {
  JobId job;
  bool joins_now = false;  // counts as having just joined the pending jobs
  std::uint64_t rank = 0;
};

// One of two sibling queues to compare: either with what its best pending job requests, or with what has been
// and would next be taken from it.
struct QueueSide {
  QueueId queue;
  Demand wanted;   // by the pending job; empty when victims are ordered
  Charge victims;  // held by the victims; empty when pending jobs are ordered
};

// One of two members of the same set to compare.
struct SubGroupSide {
  std::int32_t count = 0;      // active tasks of a pod set, or satisfied members of a set
  std::int32_t threshold = 0;  // minimum, or required members
};

// Why a running job may not be evicted.
struct VictimRefusal {
  std::string_view rule;  // points to static storage
  std::optional<TimePoint> until;
  JobId who;  // the job it is about, if there are several
};

// A simulated scenario to be judged. The preemptor's tasks are placed; the victims' tasks may have been
// placed again.
struct Scenario {
  JobId preemptor;
  std::span<const TaskId> preemptor_tasks;
  struct Victim {
    JobId job;
    std::span<const TaskId> tasks;  // all tasks that were taken, whatever became of them
  };
  std::span<const Victim> victims;
};

// The GPUs, in thousandths, that victims from these leaf queues must free at least.
struct Shortage {
  JobId preemptor;
  Demand wanted;
  std::int64_t gpus = 0;
  struct Source {
    QueueId leaf;
    std::int64_t largest = 0;  // GPUs of the largest job
  };
  std::span<const Source> sources;
};

class ScenarioGenerator;
struct GeneratorFactory {
  std::string name;
  std::function<std::unique_ptr<ScenarioGenerator>()> make;
  bool wants_all_tasks = false;  // it is never asked for only the first of the preemptor's tasks
};

// ---------------------------------------------------------------- the hooks

struct Hooks {
  // ---- Orders. Ties are broken by creation time, then uid; for sub groups by name.
  OrderHook<QueueSide> queue_order;
  RankHook<JobId, ElasticState> job_rank;
  OrderHook<TaskId> task_order;
  OrderHook<SubGroupSide> sub_group_order;

  // ---- Quotas and limits
  // Whether the job may take this at all; called with the tasks to place together. Default: yes.
  OwnerHook<std::optional<JobReason>(JobId, std::span<const TaskId>)> job_over_capacity{"job_over_capacity"};
  // Likewise for one task, with what this node would charge; called for candidate nodes.
  OwnerHook<std::optional<JobReason>(TaskId, NodeId)> task_over_capacity{"task_over_capacity"};
  // The quota check alone, made before searching victims for a non-preemptible job.
  OwnerHook<std::optional<JobReason>(JobId, std::span<const TaskId>)> job_over_quota{"job_over_quota"};

  // ---- Nodes
  // Called once per attempt to place a task. A refusal fails the task.
  FilterHook<JobReason, TaskId> before_placing;
  // A refusal that no eviction can change, so that the job is not worth a search.
  FilterHook<JobReason, TaskId> hopeless;
  // Likewise for tasks that must be placed together.
  FilterHook<JobReason, JobId, std::span<const TaskId>> hopeless_together;
  // Splits the nodes that a group of the job may use (null: all) into sets, which are tried in order.
  // Default, or null: all of them at once. Called for every group from the root down, each time the group is
  // placed. The answer is valid until the group is placed again.
  OwnerHook<NodeSets*(JobId, const Member&, std::span<const TaskId>, const Bitmap*)> node_sets{"node_sets"};
  // Depends only on shape and node object: placements do not change the answer.
  FilterHook<NodeRefusal, ShapeId, NodeId> shape_filter;
  // Depends on the shape and the state of the node.
  FilterHook<NodeRefusal, ShapeId, NodeId> state_filter;
  // All other checks; called only for nodes that are about to be taken.
  FilterHook<NodeRefusal, TaskId, NodeId> node_filter;
  // Called after the filters. Refuses only what is on the node now; the task may still be pipelined.
  FilterHook<NodeRefusal, TaskId, NodeId> now_filter;
  // Fills in the details of a filter's refusal: what, who, wanted and available. Called only if the refusal
  // is reported.
  ListHook<TaskId, NodeId, NodeRefusal&> name_refusal;
  ScoreHook node_score;

  // Scores a shared GPU of a node: higher is better. An invalid group means a whole device. No device is
  // excluded.
  ListHook<TaskId, NodeId, GroupId, double&> gpu_score;
  // Adds what else the task would hold on the node: devices of its claims, NUMA zones. Called right after the
  // filters.
  ListHook<TaskId, NodeId, Holding&> holding;

  // ---- Making room. The preemptor is the pending job that room is made for.
  // Whether the job may reclaim at all. Default: no.
  OwnerHook<bool(JobId)> may_reclaim{"may_reclaim"};
  // Whether the preemptor may take from jobs of that leaf queue at all. Called once per queue.
  FilterHook<VictimRefusal, JobId, QueueId> reclaim_from_queue;
  FilterHook<VictimRefusal, JobId, JobId> reclaim_victim;  // preemptor, candidate
  // Whether the candidate's queue is entitled to it; likewise only in reclaim. Asked after all of
  // reclaim_victim, which may name a time.
  FilterHook<VictimRefusal, JobId, JobId> reclaim_entitled;  // preemptor, candidate
  // Depends only on queue and priority of the preemptor.
  FilterHook<VictimRefusal, JobId, JobId> preempt_victim;
  FilterHook<VictimRefusal, JobId, JobId> consolidation_victim;
  // Whether a gang below its minimum may be evicted after its grace period.
  FilterHook<VictimRefusal, JobId> stale_victim;
  // Called after a simulated scenario in which the preemptor was placed.
  FilterHook<VictimRefusal, const Scenario&> reclaim_scenario;
  // Whether each queue keeps the work it is entitled to. Only the action reclaim asks; requeue takes turns.
  FilterHook<VictimRefusal, const Scenario&> entitled_scenario;
  FilterHook<VictimRefusal, const Scenario&> preempt_scenario;
  // Whether reclaim can free that much at all. A refusal proves that every scenario would be refused.
  FilterHook<JobReason, const Shortage&> reclaim_shortage;
  // The rule that allows the preemptor to take from the leaf queue, as text. Default: no text.
  OwnerHook<std::string_view(JobId, QueueId)> reclaim_ground{"reclaim_ground"};
  // Reclaim starts a search for this job: remember the current state of the queues.
  ListHook<JobId> search_begins;
  // Scenario generators by name, tried in this order.
  ListHook<std::vector<GeneratorFactory>&> generators;

  // ---- Requeue. Collects the jobs that are nominated, and those that are skipped.
  ListHook<RequeueRecord&> nominate;

  // ---- Queues, for tables and messages
  OwnerHook<Shares(QueueId)> fair_share{"fair_share"};
  OwnerHook<Shares(QueueId)> requested{"requested"};

  // Free GPUs of a node, and how many of them a typical pod cannot use. Default: not reported.
  OwnerHook<FreeGpus(NodeId)> free_gpus{"free_gpus"};

  // ---- Changes. Called for every move, including moves that undo another.
  ListHook<TaskId, const Placement&, const Placement&> moved;
};

}  // namespace muster
