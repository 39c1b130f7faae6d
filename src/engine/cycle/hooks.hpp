// The extension points: where policy (plugins) speaks to the engine, each with its contract. The type of a
// hook says how the answers of several plugins combine: hook_kinds.hpp.
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

// ---------------------------------------------------------------- what hooks are asked about

// Sets of nodes that a group of a job may use, to be tried one after the other.
class NodeSets {
 public:
  virtual ~NodeSets() = default;
  // The next set, as ranks; null at the end. Valid until the next call.
  virtual const Bitmap* next() = 0;
  // Where the last set lies, for messages.
  virtual const std::string& place() const = 0;
  // Why there was no set at all.
  virtual JobReason refusal() const = 0;
};

// A job as an order sees it, made by Session::entry(). Copies of a job with fewer tasks have their own rank.
struct JobEntry {
  JobId job;
  bool joins_now = false;  // stands at the back of the line of waiting jobs
  std::uint64_t rank = 0;
};

// One of two sibling queues that are compared: with what its best waiting job asks for, or with what was and
// would next be taken from it.
struct QueueSide {
  QueueId queue;
  Demand wanted;   // of the waiting job; nothing when victims are ordered
  Charge victims;  // held by the victims; nothing when waiting jobs are ordered
};

// One of two members of the same set.
struct SubGroupSide {
  std::int32_t count = 0;      // active tasks of a pod set, satisfied members of a set
  std::int32_t threshold = 0;  // minimum, or required members
};

// Why a running job is spared.
struct VictimRefusal {
  std::string_view rule;  // lives for ever
  std::optional<TimePoint> until;
  JobId who;  // where it is about one of several
};

// A scenario that was played and is to be judged: the contender's tasks are placed, the victims' may be
// placed again.
struct Scenario {
  JobId contender;
  std::span<const TaskId> contender_tasks;
  struct Victim {
    JobId job;
    std::span<const TaskId> tasks;  // all that were taken, whatever became of them
  };
  std::span<const Victim> victims;
};

// What victims of these leaf queues would have to free at least, in thousandths of a GPU.
struct Shortage {
  JobId contender;
  Demand wanted;
  std::int64_t gpus = 0;
  struct Source {
    QueueId leaf;
    std::int64_t largest = 0;  // GPUs of the job that holds most
  };
  std::span<const Source> sources;
};

class ScenarioGenerator;
struct GeneratorFactory {
  std::string name;
  std::function<std::unique_ptr<ScenarioGenerator>()> make;
  bool wants_all_tasks = false;  // never asked for some of the contender's tasks first
};

// ---------------------------------------------------------------- all of them

struct Hooks {
  // ---- orders. Fallbacks: creation time, then uid; sub groups: name.
  OrderHook<QueueSide> queue_order;
  RankHook<JobId, ElasticState> job_rank;
  OrderHook<TaskId> task_order;
  OrderHook<SubGroupSide> sub_group_order;

  // ---- may the job take this at all? Asked with the tasks to be placed at once. Nobody answers: yes.
  OwnerHook<std::optional<JobReason>(JobId, std::span<const TaskId>)> job_over_capacity{"job_over_capacity"};
  // The same for one task with what this node would charge; asked for candidate nodes.
  OwnerHook<std::optional<JobReason>(TaskId, NodeId)> task_over_capacity{"task_over_capacity"};
  // The quota part alone, before victims are searched for a non-preemptible job.
  OwnerHook<std::optional<JobReason>(JobId, std::span<const TaskId>)> job_over_quota{"job_over_quota"};

  // ---- nodes
  // Once per attempt to place a task; a refusal fails the task.
  FilterHook<JobReason, TaskId> before_placing;
  // A refusal that no eviction can change: the job is not worth a search.
  FilterHook<JobReason, TaskId> hopeless;
  // The same for tasks that have to be placed together.
  FilterHook<JobReason, JobId, std::span<const TaskId>> hopeless_together;
  // Splits the nodes that a group of the job may use (null: all) into sets to be tried in order. Nobody, or
  // null: all of them, once. Asked for every group from the root down, each time the group is placed; the
  // answer is valid until the group is placed again.
  OwnerHook<NodeSets*(JobId, const Member&, std::span<const TaskId>, const Bitmap*)> node_sets{"node_sets"};
  // By shape and node object alone: nothing that is placed changes the answer.
  FilterHook<NodeRefusal, ShapeId, NodeId> shape_filter;
  // By shape and the state of the node.
  FilterHook<NodeRefusal, ShapeId, NodeId> state_filter;
  // Everything else, asked only of nodes that are about to be taken.
  FilterHook<NodeRefusal, TaskId, NodeId> node_filter;
  // After the filters: a refusal of what is there now. The task may still be pipelined.
  FilterHook<NodeRefusal, TaskId, NodeId> now_filter;
  // What the refusal of a filter is about: fills what, who, wanted and available. Asked only where a job that
  // found no place is told of.
  ListHook<TaskId, NodeId, NodeRefusal&> name_refusal;
  ScoreHook node_score;

  // Which shared GPU of a node: higher is better. A device without group is a whole one; nothing drops it.
  ListHook<TaskId, NodeId, GroupId, double&> gpu_score;
  // What else the task would hold there: devices of its claims, NUMA zones. Asked right after the filters.
  ListHook<TaskId, NodeId, Holding&> holding;

  // ---- making room. The contender is the waiting job that room is made for.
  // May the job reclaim at all? Nobody answers: no.
  OwnerHook<bool(JobId)> may_reclaim{"may_reclaim"};
  // May the contender take from jobs of that leaf queue at all? Asked once per queue.
  FilterHook<VictimRefusal, JobId, QueueId> reclaim_from_queue;
  FilterHook<VictimRefusal, JobId, JobId> reclaim_victim;  // contender, candidate
  FilterHook<VictimRefusal, JobId, JobId> preempt_victim;  // only queue and priority of the contender matter
  FilterHook<VictimRefusal, JobId, JobId> consolidation_victim;
  // A gang below its minimum whose grace is over: may it be taken off now?
  FilterHook<VictimRefusal, JobId> stale_victim;
  // After a scenario was played in which the contender found its place.
  FilterHook<VictimRefusal, const Scenario&> reclaim_scenario;
  FilterHook<VictimRefusal, const Scenario&> preempt_scenario;
  // Can reclaim free so much at all? A refusal is a proof that every scenario would be refused.
  FilterHook<JobReason, const Shortage&> reclaim_shortage;
  // What allows the contender to take from the leaf queue, in words. Nobody answers: nothing is said.
  OwnerHook<std::string_view(JobId, QueueId)> reclaim_ground{"reclaim_ground"};
  // Reclaim begins to search for this job: remember the queues as they are.
  ListHook<JobId> search_begins;
  // Generators of scenarios by name, tried in this order.
  ListHook<std::vector<GeneratorFactory>&> generators;

  // ---- giving way: who agreed to it, and who did not though asked
  ListHook<RequeueRecord&> nominate;

  // ---- queues, for tables and messages
  OwnerHook<Shares(QueueId)> fair_share{"fair_share"};
  OwnerHook<Shares(QueueId)> requested{"requested"};

  // Free GPUs of a node, and how many of them a typical pod can not use. Nobody answers: nothing is told.
  OwnerHook<FreeGpus(NodeId)> free_gpus{"free_gpus"};

  // ---- changes. Called for every move, also when it is taken back.
  ListHook<TaskId, const Placement&, const Placement&> moved;
};

}  // namespace muster
