// The cluster: its objects (applied as deltas from a source) and the placements of tasks (changed by move()).
//
// A cluster is kept between cycles. A source applies objects as they are added, changed or removed. Before a
// cycle, refresh() updates everything that depends on structure (queue tree, node capacities, priorities).
// Sums per node (NodeTable), queue (QueueTree) and job (JobTable) are kept by move(), which is the only way
// to change a placement; moving back undoes it exactly.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/devices.hpp"
#include "model/extended_resources.hpp"
#include "model/group_table.hpp"
#include "model/holding.hpp"
#include "model/id_set.hpp"
#include "model/ids.hpp"
#include "model/job_table.hpp"
#include "model/kept_objects.hpp"
#include "model/node_table.hpp"
#include "model/objects.hpp"
#include "model/owners.hpp"
#include "model/queue_tree.hpp"
#include "model/resources.hpp"
#include "model/shape_table.hpp"
#include "model/topology_tree.hpp"
#include "options/compatibility.hpp"

namespace muster {

// How objects are interpreted. Fixed for the lifetime of a cluster.
struct ClusterOptions {
  std::string scheduler_name = "kai-scheduler";
  std::string node_pool_label = "kai.scheduler/node-pool";  // "": no partition
  std::string node_pool;                                    // "": nodes without the label
  std::string queue_label = "kai.scheduler/queue";
  std::string reservation_app = "kai-resource-reservation";
  std::string reservation_namespace = "kai-resource-reservation";
  std::string scaling_app = "scaling-pod";
  std::string mig_worker_label = "node-role.kubernetes.io/mig-enabled";
  std::string cpu_worker_label = "node-role.kubernetes.io/cpu-worker";
  std::string gpu_worker_label = "node-role.kubernetes.io/gpu-worker";
  bool restrict_node_scheduling = false;
  bool full_hierarchy = true;
  Duration stuck_threshold = std::chrono::minutes(2);
  Compatibility compatibility;

  // Whether a pod with this label `app` reserves a shared GPU.
  bool is_reservation(std::string_view app, std::string_view ns) const {
    return app == reservation_app &&
           (ns == reservation_namespace || !compatibility.reservations_in_namespace);
  }
  // Whether such a pod belongs to no job, even if it names our scheduler or a PodGroup.
  bool is_jobless(std::string_view app, std::string_view ns) const {
    return compatibility.reservations_in_namespace && is_reservation(app, ns);
  }
};

class Cluster {
 public:
  explicit Cluster(ClusterOptions options = {});

  // ---- Deltas from a source. Objects may come in any order and refer to objects that come later.
  void apply(Object&& object);
  // Apply an object and return its id.
  NodeId apply(NodeObject&& object) { return take(std::move(object)); }
  TaskId apply(PodObject&& object) { return ++revision_, take(std::move(object)); }
  // Removes an object. A kind that the cluster does not know may belong to an owner of pods.
  void remove(std::string_view kind, std::string_view ns, std::string_view name);
  // A pod that is bound starts to use the claims in `held`; a pod that has ended stops using its claims.
  void reserve_claims(TaskId task, HoldingId held);
  void release_claims(TaskId task);
  // Records the state in which the source saw the task. This confirms or corrects what the engine assumed.
  void observe(TaskId task, const Observed& seen);
  // Its owner recreated the pod: a new pending pod with the same name and the old creation time.
  void recreate(TaskId task, std::string uid);
  // Treats the job as if it had just been read: keeps only the part of its past that its object records.
  void forget_past(JobId job);
  // The earliest time at which a terminating pod starts to count as stuck; nullopt if there is none.
  std::optional<TimePoint> next_stuck() const;
  // Changes the task's requests and constraints to those of `asks`.
  void reshape(TaskId task, const PodObject& asks);

  // ---- Effects of a cycle on a job. The next delta of its object will confirm them.
  void started(JobId job, TimePoint now) { restore_start(job, now); }
  void evicted(JobId job, TimePoint now) { restore_eviction(job, now); }
  void restore_start(JobId job, std::optional<TimePoint> at) { ++revision_, jobs_.job(job).last_start = at; }
  void restore_eviction(JobId job, std::optional<TimePoint> at) {
    ++revision_, jobs_.job(job).last_eviction = at;
  }
  void requeued(JobId job, TimePoint now, std::string not_before) {
    ++revision_;
    jobs_.job(job).requeued_at = now;
    jobs_.job(job).requeue_not_before = std::move(not_before);
  }
  void mark_stale(JobId job, std::optional<TimePoint> since) { jobs_.mark_stale(job, since); }
  // Records that the victim lost or moved pods for the preemptor. Kept until the preemptor is placed.
  void record_displaced(JobId preemptor, JobId victim) {
    ++revision_;
    jobs_.job(preemptor).displaced_for_it.insert(jobs_.job(victim).uid);
  }
  // Reverts record_displaced().
  void forget_displaced(JobId preemptor, JobId victim) {
    jobs_.job(preemptor).displaced_for_it.erase(jobs_.job(victim).uid);
  }
  void placed(JobId job) { jobs_.job(job).displaced_for_it.clear(); }

  // Where a cycle nominated tasks, for the next cycle to begin with.
  struct NominatedPlace {
    TaskId task;
    std::string uid;  // ids of deleted tasks are reused
    NodeId node;
  };
  void keep_nominations(std::vector<NominatedPlace> places) { nominations_ = std::move(places); }
  std::vector<NominatedPlace> take_nominations() { return std::exchange(nominations_, {}); }

  // Updates everything for a cycle at `now`. The cost is proportional to the changes; a structural change
  // (queues, node capacities, priority classes) costs one pass over all tasks.
  void refresh(TimePoint now);
  std::vector<ObjectWarning> take_warnings();

  // ---- Placements
  void move(TaskId task, const Placement& to);
  const Placement& placement(TaskId t) const { return jobs_.placement(t); }
  HoldingId intern(Holding holding) { return holdings_.intern(std::move(holding)); }
  HoldingId intern_groups(std::vector<GroupId> groups) { return intern({.groups = std::move(groups)}); }
  const Holding& holding(HoldingId id) const { return holdings_[id]; }
  std::span<const GroupId> groups(HoldingId id) const { return holding(id).groups; }
  AllocationId intern_allocation(AllocationObject object) { return devices_.intern(std::move(object)); }
  GroupId intern_device(std::string_view driver, std::string_view pool, std::string_view name) {
    return devices_.device(driver, pool, name);
  }
  GroupId intern_group(std::string_view name) { return groups_.intern(name); }
  const std::string& group_name(GroupId group) const { return groups_.name(group); }
  // Returns a name for a device of the node that is about to be shared: the first name that is neither in use
  // nor in `taken`.
  GroupId fresh_group(NodeId node, std::span<const GroupId> taken);

  // ---- Queries
  const ClusterOptions& options() const { return options_; }
  // Whether an object with these labels belongs to the node pool of this cluster.
  bool in_partition(const Labels& labels) const;
  // Whether a node with these labels may be used at all: if nodes are restricted, only workers may.
  bool is_worker(const Labels& labels) const;
  const NodeTable& node_table() const { return nodes_; }
  const QueueTree& queue_tree() const { return queues_; }
  const JobTable& job_table() const { return jobs_; }
  const ShapeTable& shapes() const { return shapes_; }
  const KindTable& kinds() const { return kinds_; }
  const DeviceTable& devices() const { return devices_; }
  // Objects that the cluster only stores; plugins interpret them.
  const KeptObjects& kept() const { return kept_; }
  bool has_config_map(std::string_view ns, std::string_view name) const;
  // Null if the topology does not exist.
  const TopologyTree* topology(std::string_view name) const;

  const IdVector<NodeId, Node>& nodes() const { return nodes_.all(); }
  const Node& node(NodeId id) const { return nodes_[id]; }
  NodeId find_node(std::string_view name) const { return nodes_.find(name); }
  std::span<const NodeId> nodes_by_name() const { return nodes_.by_name(); }
  std::uint32_t rank(NodeId n) const { return nodes_.rank(n); }
  const ResourceTable<NodeId>& allocatable() const { return nodes_.allocatable(); }
  const ResourceTable<NodeId>& idle() const { return nodes_.idle(); }
  const ResourceTable<NodeId>& releasing() const { return nodes_.releasing(); }
  std::int64_t free_or_releasing(Kind k, NodeId n) const { return idle().at(k, n) + releasing().at(k, n); }
  const Charge& total() const { return nodes_.total(); }
  std::int64_t smallest_gpu() const { return nodes_.smallest_gpu(); }
  std::int64_t largest_gpu() const { return nodes_.largest_gpu(); }

  const IdVector<QueueId, Queue>& queues() const { return queues_.all(); }
  const Queue& queue(QueueId id) const { return queues_[id]; }
  const QueueUse& use(QueueId id) const { return queues_.use(id); }
  QueueId find_queue(std::string_view name) const { return queues_.find(name); }

  const IdVector<JobId, Job>& jobs() const { return jobs_.jobs(); }
  const Job& job(JobId id) const { return jobs_.job(id); }
  JobId find_job(std::string_view ns, std::string_view name) const { return jobs_.find_job(ns, name); }
  std::span<const JobId> pending_jobs() const { return jobs_.pending(); }
  const IdVector<TaskId, Task>& tasks() const { return jobs_.tasks(); }
  const Task& task(TaskId id) const { return jobs_.task(id); }
  TaskId find_task(std::string_view ns, std::string_view name) const { return jobs_.find_task(ns, name); }
  const Shape& shape(ShapeId id) const { return shapes_[id]; }
  const Shape& shape_of(TaskId id) const { return shapes_[task(id).shape]; }
  const Labels& labels_of(TaskId id) const { return label_sets_[task(id).labels]; }

  // Whether the job's resources may be reclaimed for others: its pods are on our nodes and charged to a
  // queue.
  bool is_within_reach(JobId job) const;

  // The devices that the task's containers get from a device class in place of resource amounts.
  ContainerDevices container_devices(TaskId t) const;
  // Whether any pod has device claims.
  bool has_device_claims() const { return !claim_tasks_.items().empty(); }
  // Devices on the node that the shape's claims hold and that are already counted there. With
  // `even_if_releasing`, devices that are about to be released count as well.
  std::int64_t counted_devices(const Shape& shape, NodeId node, bool even_if_releasing) const;
  // The amount that a queue is charged for a pod of the shape on that node.
  Charge accepted(const Shape& shape, NodeId node) const;

  // Increases with every delta from the source and with every note about a job. A node update without changes
  // does not count, because nodes send them all the time.
  std::uint64_t revision() const { return revision_; }
  // A hash of all placements: equal again when every task is back in its place.
  std::uint64_t placements_hash() const { return placements_hash_; }

  // The number of interned names and sets that tasks share. Unused ones are dropped from time to time, so the
  // number stays proportional to the number of objects.
  std::size_t interned() const;
  // How often unused ones have been dropped.
  std::uint64_t sweeps() const { return sweeps_; }

  // ---- Checks
  // The sums and placements as text; equal texts mean equal clusters.
  std::string fingerprint() const;
  // Recounts all sums from the placements. Returns what differs from the kept sums, or "".
  std::string recount() const;

 private:
  struct BindRequestFacts {
    std::string node, uid;
    std::vector<std::string> groups;
    bool failed = false;
    std::vector<std::pair<std::string, AllocationId>> claims;  // by the claim's name in the pod
    std::vector<ZoneRecord> zones;
    std::vector<std::string> volumes;
  };
  // Update the cluster after an object of this kind was applied or removed. Kinds that
  // cluster_apply.cpp lists as only stored have no overload.
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
  void take(DeviceClassObject&& object);
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
  void take(Gone<DeviceClassObject> gone);
  void take(Gone<NodeTopologyObject> gone);
  void take(Gone<OwnerObject> gone);

  void warn(std::string object, std::string field, std::string message);

  // Adds (sign 1) or subtracts (sign −1) the contribution of a task at a placement to all sums.
  void account(TaskId t, const Placement& at, int sign);
  void account_node(const Shape& shape, bool is_reservation, NodeId node, TaskStatus as, HoldingId holding,
                    int sign);
  std::int64_t account_claimed(const Shape& shape, NodeId node, TaskStatus as, HoldingId held, int sign);
  void account_claims(const Task& task, const Placement& at, int sign);
  void account_queue(const Task& task, const Placement& at, int sign);
  // Likewise, for the job only.
  void count(const Task& task, TaskStatus status, int sign);
  // Adjusts the non-preemptible use of a semi-preemptible job's queue to the job's core.
  void settle_core(JobId job);
  // Likewise after one task of the job moved, was added or was removed.
  struct SetOfJob {
    JobId job;
    std::uint32_t pod_set;
  };
  void settle_core(const SetOfJob& of, TaskId t, const Placement& from, const Placement& to);
  bool follow(PodSet& set, TaskId t, const Placement& from, const Placement& to);
  PodSet::Core core_in(const PodSet& set) const;
  void set_core(Job& job, const Charge& core);
  void drop_core(Job& job);
  Charge core_of(const Job& job, const Member& member) const;
  Charge charged_at(TaskId t, const Placement& at) const;

  void read_task(PodObject& object, Task& task);
  struct Membership {
    std::string group, sub_group;
  };
  // Whether the task is on a node or about to be bound to one.
  bool has_a_place(const Task& task) const;
  std::string queue_charged_for(const Task& task) const;
  bool stays_in_its_group(const Task& task, const PodObject& object) const;
  void keep_membership(TaskId id, PodObject& object);
  void join_group(TaskId id, const std::string& name);
  void change_group(TaskId t, const Membership& wanted);
  void attach(TaskId t, JobId job);
  void detach(TaskId t);
  // A pod on a node that belongs to no pod set becomes a job of its own.
  void settle_stray(TaskId t);
  void stand_alone(TaskId t);
  void stop_standing_alone(TaskId t);
  bool counts_alone(TaskId t) const;
  // The queue that a job is charged to.
  bool takes_jobs(QueueId queue) const;
  QueueId named_queue(const Job& job) const;
  QueueId queue_of_members(JobId job) const;
  QueueId queue_to_charge(JobId job) const;
  void settle_queue(JobId job);
  void charge_to(JobId job, QueueId queue);
  Placement observed_placement(TaskId t);
  HoldingId intern_shared(const std::vector<std::string>& names);
  HoldingId observed_holding(TaskId t, const Placement& at, const BindRequestFacts* request);
  std::vector<ZoneShare> zone_shares(NodeId node, const std::vector<ZoneRecord>& record);
  const BindRequestFacts* bind_request_of(const Task& task) const;
  TaskStatus observed_status(const Task& task) const;
  void reobserve(TaskId t);

  void sweep_if_due();
  void sweep();
  void sweep_groups_and_kinds();
  void refresh_devices();
  void settle_claims(TaskId t);
  void refresh_backing();
  ClaimedParts claimed_parts(const Task& task);
  void add_container_claim(const Task& task, ClaimedParts& parts);
  void forget_imagined_claims(const Task& task);
  void count_slices();
  void recount_claims();
  void refresh_nodes();
  void refresh_queues();
  void refresh_jobs();
  void build_topologies();
  void recount_stale_nodes();
  void sum_up_nodes();
  void recount_queues();
  void resolve(JobId id);
  void become(JobId id, Preemptibility mode);
  bool is_free_to_become(const Job& job, Preemptibility mode) const;
  void judge_held_back();
  bool quota_holds(const Job& job, Preemptibility mode) const;
  Charge protected_part(const Job& job, Preemptibility mode) const;
  std::pair<Preemptibility, PreemptibilitySource> preemptibility_of(const Job& job) const;
  std::int32_t class_value(const std::string& name) const;

  ClusterOptions options_;
  TimePoint now_{};

  KindTable kinds_;
  ShapeTable shapes_;
  LabelTable label_sets_;
  NodeTable nodes_;
  QueueTree queues_;
  JobTable jobs_;
  KeptObjects kept_;
  absl::flat_hash_set<std::string> config_maps_;                      // keyed by key_of()
  absl::flat_hash_map<std::string, BindRequestFacts> bind_requests_;  // by the pod's key_of()
  absl::flat_hash_map<std::string, TopologyTree> topology_trees_;
  OwnerTable owners_;
  DeviceTable devices_;
  GroupTable groups_;
  HoldingTable holdings_;
  IdSet<TaskId> terminating_;
  IdSet<TaskId> claim_tasks_;              // tasks with device claims
  std::map<Kind, BackedResource> backed_;  // resources served by devices only, or partly if they are GPUs
  std::size_t backing_kinds_ = 0;          // number of kinds known when `backed_` was built
  absl::flat_hash_map<TaskId, std::pair<std::vector<ZoneRecord>, std::vector<ZoneRecord>>>
      zone_records_;  // observed and predicted
  // Groups that pods named while they were being bound.
  absl::flat_hash_map<TaskId, Membership> named_groups_;

  // Which parts refresh() has to update.
  bool classes_stale_ = true, claims_stale_ = false, slices_stale_ = false, zones_stale_ = false,
       topologies_stale_ = false, backing_stale_ = false;
  std::size_t sweep_at_ = 4096;  // number of interned values that triggers the next sweep
  std::uint64_t sweeps_ = 0;
  std::uint64_t revision_ = 0;
  std::uint64_t placements_hash_ = 0;
  std::vector<ObjectWarning> warnings_;
  std::vector<NominatedPlace> nominations_;  // of the last cycle
};

}  // namespace muster
