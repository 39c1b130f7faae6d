// The cluster: what exists (objects, by deltas from a source) and where tasks stand (placements, by move()).
//
// It lives on between cycles. A source applies objects as they are added, changed or gone; refresh() brings
// everything that depends on structure (queue tree, node capacities, priorities) up to date before a cycle.
// Sums per node, queue and job are kept by move(), the only change there is to a placement; its undo is the
// move back.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <span>
#include <string>
#include <vector>

#include "model/devices.hpp"
#include "model/group_table.hpp"
#include "model/id_set.hpp"
#include "model/ids.hpp"
#include "model/job.hpp"
#include "model/kept_objects.hpp"
#include "model/node.hpp"
#include "model/objects.hpp"
#include "model/owners.hpp"
#include "model/placement.hpp"
#include "model/queue.hpp"
#include "model/resources.hpp"
#include "model/shape_table.hpp"
#include "model/task.hpp"
#include "model/topology_tree.hpp"
#include "options/compatibility.hpp"

namespace muster {

// How objects are read. Fixed for the life of a cluster.
struct ClusterOptions {
  std::string scheduler_name = "kai-scheduler";
  std::string node_pool_label = "kai.scheduler/node-pool";  // "": no partition
  std::string node_pool;                                    // "": objects without the label
  std::string reservation_app = "kai-resource-reservation";
  std::string scaling_app = "scaling-pod";
  std::string mig_worker_label = "node-role.kubernetes.io/mig-enabled";
  std::string cpu_worker_label = "node-role.kubernetes.io/cpu-worker";
  std::string gpu_worker_label = "node-role.kubernetes.io/gpu-worker";
  bool restrict_node_scheduling = false;
  bool full_hierarchy = true;
  Duration stuck_threshold = std::chrono::minutes(2);
  Compatibility compatibility;
};

// Something about an object that the source should tell its user, once.
struct ObjectWarning {
  std::string object, field, message;
};

class Cluster {
 public:
  explicit Cluster(ClusterOptions options = {});

  // ---- deltas from a source. Objects may come in any order and refer to ones that are not there yet.
  void apply(Object&& object);
  // The same, for who goes on with it.
  NodeId apply(NodeObject&& object) { return ++revision_, take(std::move(object)); }
  TaskId apply(PodObject&& object) { return ++revision_, take(std::move(object)); }
  // What is of none of the kinds that the cluster knows may have been an owner of pods.
  void remove(std::string_view kind, std::string_view ns, std::string_view name);
  // A bound pod uses the claims that it holds; one that ended does no more.
  void reserve_claims(TaskId task, GroupListId held);
  void release_claims(TaskId task);
  // The source saw the task in another state; what an engine assumed about it is thereby confirmed or
  // corrected.
  void observe(TaskId task, const Observed& seen);
  // Times of a job that were written for it; the object's next delta says the same.
  Job& job_facts(JobId job) { return jobs_[job]; }

  // Brings everything up to date for a cycle at `now`. Costs what changed; a change of structure (queues,
  // node capacities, priority classes) costs one pass over all tasks.
  void refresh(TimePoint now);
  std::vector<ObjectWarning> take_warnings();

  // ---- placements
  void move(TaskId task, const Placement& to);
  const Placement& placement(TaskId t) const { return placements_[t]; }
  GroupListId intern(Holding holding);
  GroupListId intern_groups(std::vector<GroupId> groups) { return intern({.groups = std::move(groups)}); }
  const Holding& holding(GroupListId list) const { return list.valid() ? holdings_[list] : kHoldsNothing; }
  std::span<const GroupId> groups(GroupListId list) const { return holding(list).groups; }
  AllocationId intern_allocation(AllocationObject object) { return devices_.intern(std::move(object)); }
  GroupId intern_device(std::string_view driver, std::string_view pool, std::string_view name) {
    return devices_.device(driver, pool, name);
  }
  GroupId intern_group(std::string_view name) { return groups_.intern(name); }
  const std::string& group_name(GroupId group) const { return groups_.name(group); }
  // A name for a device of the node that begins to be shared: the first that is not in use, nor one of
  // `taken`.
  GroupId fresh_group(NodeId node, std::span<const GroupId> taken);

  // ---- reading
  const ClusterOptions& options() const { return options_; }
  const IdVector<NodeId, Node>& nodes() const { return nodes_; }
  const IdVector<QueueId, Queue>& queues() const { return queues_; }
  const IdVector<JobId, Job>& jobs() const { return jobs_; }
  const IdVector<TaskId, Task>& tasks() const { return tasks_; }
  const Node& node(NodeId id) const { return nodes_[id]; }
  const Queue& queue(QueueId id) const { return queues_[id]; }
  const Job& job(JobId id) const { return jobs_[id]; }
  const Task& task(TaskId id) const { return tasks_[id]; }
  const Shape& shape(ShapeId id) const { return shapes_[id]; }
  const Shape& shape_of(TaskId id) const { return shapes_[tasks_[id].shape]; }
  std::size_t shape_count() const { return shapes_.size(); }
  const Labels& labels_of(TaskId id) const { return label_sets_[tasks_[id].labels]; }
  const KindTable& kinds() const { return kinds_; }
  const ResourceTable<NodeId>& idle() const { return idle_; }
  const ResourceTable<NodeId>& releasing() const { return releasing_; }
  const ResourceTable<NodeId>& allocatable() const { return allocatable_; }
  std::int64_t free_or_releasing(Kind k, NodeId n) const { return idle_.at(k, n) + releasing_.at(k, n); }
  // How many kinds are overdrawn, of what is idle, and with what is being released. Such a node takes no task
  // at all, even one that asks for nothing of that kind.
  int overdrawn_now(NodeId n) const { return overdrawn_now_[n]; }
  int overdrawn(NodeId n) const { return overdrawn_[n]; }
  const QueueUse& use(QueueId id) const { return uses_[id]; }
  // Usable queues at the top level, by creation time, then name.
  std::span<const QueueId> top_queues() const { return top_queues_; }
  // Present nodes by name; a node's rank is its place in it.
  std::span<const NodeId> nodes_by_name() const { return nodes_by_name_; }
  std::uint32_t rank(NodeId n) const { return ranks_[n]; }
  // Jobs that have a pending task, in no particular order; likewise jobs whose gang is not whole though some
  // run.
  std::span<const JobId> pending_jobs() const { return pending_jobs_.items(); }
  std::span<const JobId> broken_gangs() const { return broken_gangs_.items(); }
  // Jobs that carry a stale time.
  std::span<const JobId> stale_marked() const { return stale_marked_.items(); }
  // Jobs that say how long they expect to run.
  std::span<const JobId> opted_in() const { return opted_in_.items(); }
  void mark_stale(JobId job, std::optional<TimePoint> since);
  // What usable nodes offer, less what other schedulers' pods hold there.
  const Charge& total() const { return total_; }
  // MiB per GPU of the smallest and largest node whose GPU memory is known; 0 if there is none.
  std::int64_t smallest_gpu() const { return smallest_gpu_; }
  std::int64_t largest_gpu() const { return largest_gpu_; }
  bool has_config_map(std::string_view ns, std::string_view name) const;
  // Null: there is no such topology.
  const TopologyTree* topology(std::string_view name) const;
  // Objects of the kinds that only others make something of.
  const KeptObjects& kept() const { return kept_; }
  const DeviceTable& devices() const { return devices_; }
  // Pods with device claims exist.
  bool has_device_claims() const { return !claim_tasks_.items().empty(); }
  // Devices that the shape's claims hold on the node and that are counted there already. `even_if_releasing`:
  // also those that are about to be free.
  std::int64_t counted_devices(const Shape& shape, NodeId node, bool even_if_releasing) const;
  TaskId find_task(std::string_view ns, std::string_view name) const;
  JobId find_job(std::string_view ns, std::string_view name) const;
  QueueId find_queue(std::string_view name) const;
  NodeId find_node(std::string_view name) const;

  // What a queue is charged for the shape on that node.
  Charge accepted(const Shape& shape, NodeId node) const;
  // Pods with host ports or (anti-)affinity terms exist, and so placing one may forbid places to others.
  bool has_host_ports() const { return has_host_ports_; }
  bool has_pod_affinity() const { return has_pod_affinity_; }
  bool has_preferred_affinity() const { return has_preferred_affinity_; }

  // Nodes whose sums changed, oldest first. A reader remembers journal_end() and later reads on from there; a
  // position below journal_begin() has been forgotten and the reader starts afresh.
  std::uint64_t journal_begin() const { return journal_base_; }
  std::uint64_t journal_end() const { return journal_base_ + journal_.size(); }
  NodeId journal_at(std::uint64_t position) const { return journal_[position - journal_base_]; }

  // Grows with every delta from the source.
  std::uint64_t revision() const { return revision_; }

  // ---- checking
  // The sums and placements as text: equal texts mean equal clusters.
  std::string fingerprint() const;
  // What differs between the kept sums and a recount from the placements, or "".
  std::string recount() const;

 private:
  struct BindRequestFacts {
    std::string node, uid;
    std::vector<std::string> groups;
    bool failed = false;
    std::vector<std::pair<std::string, AllocationId>> claims;  // by name inside the pod
    std::vector<ZoneRecord> zones;
  };
  static const Holding kHoldsNothing;

  // What an object of the kind means, and what it means that it is gone. Kinds without are only kept.
  template <class T>
  struct Gone {
    std::string_view ns, name;
  };
  NodeId take(NodeObject&& object);
  void take(QueueObject&& object);
  void take(PriorityClassObject&& object);
  void take(PodGroupObject&& object);
  TaskId take(PodObject&& object);
  void take(BindRequestObject&& object);
  void take(TopologyObject&& object);
  void take(ConfigMapObject&& object);
  void take(OwnerObject&& object);
  void take(ResourceClaimObject&& object);
  void take(ResourceSliceObject&& object);
  void take(NodeTopologyObject&& object);
  void take(Gone<NodeObject> gone);
  void take(Gone<QueueObject> gone);
  void take(Gone<PriorityClassObject> gone);
  void take(Gone<PodGroupObject> gone);
  void take(Gone<PodObject> gone);
  void take(Gone<BindRequestObject> gone);
  void take(Gone<TopologyObject> gone);
  void take(Gone<ConfigMapObject> gone);
  void take(Gone<ResourceClaimObject> gone);
  void take(Gone<ResourceSliceObject> gone);
  void take(Gone<NodeTopologyObject> gone);

  NodeId mention_node(std::string_view name);
  QueueId mention_queue(std::string_view name);
  JobId mention_job(std::string_view ns, std::string_view name);
  TaskId mention_task(std::string_view ns, std::string_view name);
  bool in_partition(const Labels& labels) const;
  void warn(std::string object, std::string field, std::string message);

  // Adds (sign 1) or takes back (−1) what a task at a placement means for the sums.
  void account(TaskId t, const Placement& at, int sign);
  void account_node(const Shape& shape, bool is_reservation, NodeId node, TaskStatus as, GroupListId groups,
                    int sign);
  void account_shared(std::vector<SharedGpu>& devices, NodeId id, GroupId group, std::int64_t memory,
                      TaskStatus as, int sign);
  std::int64_t account_claimed(const Shape& shape, NodeId node, TaskStatus as, GroupListId held, int sign);
  void account_claims(const Task& task, const Placement& at, int sign);
  void account_queue(const Task& task, const Placement& at, int sign);
  void account_counts(const Task& task, TaskStatus status, int sign);
  // Brings the non-preemptible use of a semi-preemptible job's queue in line with its core.
  void settle_core(JobId job);
  Charge core_of(const Job& job, const Member& member) const;
  void shift(Kind kind, NodeId node, std::int64_t idle, std::int64_t releasing);
  void touch(NodeId node);
  void classify(JobId id);

  void attach(TaskId t, JobId job);
  void detach(TaskId t);
  Placement observed_placement(TaskId t);
  GroupListId observed_holding(TaskId t, const Placement& at, const BindRequestFacts* request);
  std::vector<ZoneShare> zone_shares(NodeId node, const std::vector<ZoneRecord>& record);
  const BindRequestFacts* bind_request_of(const Task& task) const;
  TaskStatus observed_status(const Task& task) const;
  void reobserve(TaskId t);
  void release_if_unused(JobId job);
  void note_constraints(const Shape& shape);

  void refresh_devices();
  void settle_claims(TaskId t);
  void count_slices();
  void recount_claims();
  void refresh_nodes();
  void refresh_queues();
  void refresh_jobs();
  void rank_nodes();
  void build_topologies();
  void recount_stale_nodes();
  void recount_queues();
  void build_queue_tree();
  void resolve(JobId id);
  void compute_total();
  std::int32_t class_value(const std::string& name) const;
  void set_stale(NodeId node);
  void size_tables();

  ClusterOptions options_;
  TimePoint now_{};

  KindTable kinds_;
  ShapeTable shapes_;
  LabelTable label_sets_;
  IdVector<NodeId, Node> nodes_;
  IdVector<QueueId, Queue> queues_;
  IdVector<JobId, Job> jobs_;
  IdVector<TaskId, Task> tasks_;
  IdVector<TaskId, Placement> placements_;
  std::vector<TaskId> free_tasks_;
  std::vector<JobId> free_jobs_;

  absl::flat_hash_map<std::string, NodeId> node_ids_;
  absl::flat_hash_map<std::string, QueueId> queue_ids_;
  absl::flat_hash_map<std::string, JobId> job_ids_;    // "ns/name"
  absl::flat_hash_map<std::string, TaskId> task_ids_;  // "ns/name"
  absl::flat_hash_map<std::string, BindRequestFacts> bind_requests_;
  absl::flat_hash_map<std::string, TopologyTree> topology_trees_;
  absl::flat_hash_set<std::string> config_maps_;  // "ns/name"
  KeptObjects kept_;
  OwnerTable owners_;
  DeviceTable devices_;
  absl::flat_hash_map<TaskId, std::pair<std::vector<ZoneRecord>, std::vector<ZoneRecord>>>
      zone_records_;  // seen, and foretold

  ResourceTable<NodeId> allocatable_, idle_, releasing_;
  IdVector<NodeId, std::int16_t> overdrawn_now_, overdrawn_;
  IdVector<NodeId, Charge> foreign_;  // of other schedulers' active pods
  IdVector<QueueId, QueueUse> uses_;
  GroupTable groups_;
  IdVector<GroupListId, Holding> holdings_;
  absl::flat_hash_map<Holding, GroupListId> holding_ids_;

  std::vector<QueueId> top_queues_;
  std::vector<NodeId> nodes_by_name_;
  IdVector<NodeId, std::uint32_t> ranks_;
  IdSet<JobId> pending_jobs_, broken_gangs_, stale_marked_, opted_in_, unresolved_jobs_;
  IdSet<TaskId> terminating_;
  IdSet<TaskId> claim_tasks_;  // with device claims
  Charge total_;
  std::int64_t smallest_gpu_ = 0, largest_gpu_ = 0;
  bool has_host_ports_ = false, has_pod_affinity_ = false, has_preferred_affinity_ = false;

  // While stale, sums are not kept; refresh() recounts them.
  IdVector<NodeId, bool> node_stale_;
  bool some_node_stale_ = false, node_list_stale_ = true, queues_stale_ = true, classes_stale_ = true;
  bool claims_stale_ = false, slices_stale_ = false, zones_stale_ = false, topologies_stale_ = false;

  std::vector<NodeId> journal_;
  std::uint64_t journal_base_ = 0, revision_ = 0;
  std::vector<ObjectWarning> warnings_;
};

}  // namespace muster
