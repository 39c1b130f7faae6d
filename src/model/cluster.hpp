// The cluster: what exists (objects, by deltas from a source) and where tasks stand (placements, by move()).
//
// It lives on between cycles. A source applies objects as they are added, changed or gone; refresh() brings
// everything that depends on structure (queue tree, node capacities, priorities) up to date before a cycle.
// Sums per node (NodeTable), queue (QueueTree) and job (JobTable) are kept by move(), the only change there
// is to a placement; its undo is the move back.
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

// How objects are read. Fixed for the life of a cluster.
struct ClusterOptions {
  std::string scheduler_name = "kai-scheduler";
  std::string node_pool_label = "kai.scheduler/node-pool";  // "": no partition
  std::string node_pool;                                    // "": objects without the label
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
};

class Cluster {
 public:
  explicit Cluster(ClusterOptions options = {});

  // ---- deltas from a source. Objects may come in any order and refer to ones that are not there yet.
  void apply(Object&& object);
  // The same, for who goes on with it.
  NodeId apply(NodeObject&& object) { return take(std::move(object)); }
  TaskId apply(PodObject&& object) { return ++revision_, take(std::move(object)); }
  // What is of none of the kinds that the cluster knows may have been an owner of pods.
  void remove(std::string_view kind, std::string_view ns, std::string_view name);
  // A bound pod uses the claims that it holds; one that ended does no more.
  void reserve_claims(TaskId task, HoldingId held);
  void release_claims(TaskId task);
  // The source saw the task in another state; what an engine assumed about it is thereby confirmed or
  // corrected.
  void observe(TaskId task, const Observed& seen);
  // Its owner made the pod again: another one of the same name, which waits. It keeps its creation time.
  void make_again(TaskId task, std::string uid);
  // As if it had just been read: what it was while it ran is what its object tells, and nothing else.
  void forget_past(JobId job);
  // When a pod that is terminating now counts as stuck; nothing: none will.
  std::optional<TimePoint> next_stuck() const;
  // The task asks for something else, or may go elsewhere: what its shape is made of is taken from `asks`.
  void reshape(TaskId task, const PodObject& asks);

  // ---- what a cycle decided about a job; the object's next delta says the same
  void started(JobId job, TimePoint now) { ++revision_, jobs_.job(job).last_start = now; }
  void evicted(JobId job, TimePoint now) { ++revision_, jobs_.job(job).last_eviction = now; }
  void requeued(JobId job, TimePoint now, std::string not_before) {
    ++revision_;
    jobs_.job(job).requeued_at = now;
    jobs_.job(job).requeue_not_before = std::move(not_before);
  }
  void mark_stale(JobId job, std::optional<TimePoint> since) { jobs_.mark_stale(job, since); }
  // The victim lost or moved pods for the contender, which counts until that has got a place.
  void taken_for(JobId contender, JobId victim) {
    ++revision_;
    jobs_.job(contender).taken_for_it.insert(jobs_.job(victim).uid);
  }
  // It did not, after all.
  void not_taken_for(JobId contender, JobId victim) {
    jobs_.job(contender).taken_for_it.erase(jobs_.job(victim).uid);
  }
  void placed(JobId job) { jobs_.job(job).taken_for_it.clear(); }

  // Brings everything up to date for a cycle at `now`. Costs what changed; a change of structure (queues,
  // node capacities, priority classes) costs one pass over all tasks.
  void refresh(TimePoint now);
  std::vector<ObjectWarning> take_warnings();

  // ---- placements
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
  // A name for a device of the node that begins to be shared: the first that is not in use, nor one of
  // `taken`.
  GroupId fresh_group(NodeId node, std::span<const GroupId> taken);

  // ---- reading
  const ClusterOptions& options() const { return options_; }
  // Whether an object with these labels is of the node pool that this cluster is about.
  bool in_partition(const Labels& labels) const;
  // Whether a node with these labels may be used at all: where nodes are restricted, workers only.
  bool is_worker(const Labels& labels) const;
  const NodeTable& node_table() const { return nodes_; }
  const QueueTree& queue_tree() const { return queues_; }
  const JobTable& job_table() const { return jobs_; }
  const ShapeTable& shapes() const { return shapes_; }
  const KindTable& kinds() const { return kinds_; }
  const DeviceTable& devices() const { return devices_; }
  // Objects of the kinds that only others make something of.
  const KeptObjects& kept() const { return kept_; }
  bool has_config_map(std::string_view ns, std::string_view name) const;
  // Null: there is no such topology.
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

  // What the job holds may be taken for others: it stands on our nodes, and its use is charged.
  bool is_within_reach(JobId job) const;

  // What its containers get by devices of a class instead of amounts.
  ContainerDevices container_devices(TaskId t) const;
  // Pods with device claims exist.
  bool has_device_claims() const { return !claim_tasks_.items().empty(); }
  // Devices that the shape's claims hold on the node and that are counted there already. `even_if_releasing`:
  // also those that are about to be free.
  std::int64_t counted_devices(const Shape& shape, NodeId node, bool even_if_releasing) const;
  // What a queue is charged for the shape on that node.
  Charge accepted(const Shape& shape, NodeId node) const;

  // Grows with every delta from the source, and with what is noted about jobs, but for a node that says again
  // what is known: they do all the time.
  std::uint64_t revision() const { return revision_; }
  // Of where all tasks stand: the same again when they stand as before.
  std::uint64_t placements_hash() const { return placements_hash_; }

  // How many things are interned: names and sets that tasks share. What nobody uses any more is forgotten now
  // and then, so that it stays in proportion to what exists.
  std::size_t interned() const;
  // How often that was.
  std::uint64_t sweeps() const { return sweeps_; }

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
    std::vector<std::string> volumes;
  };
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

  void warn(std::string object, std::string field, std::string message);

  // Adds (sign 1) or takes back (−1) what a task at a placement means for the sums.
  void account(TaskId t, const Placement& at, int sign);
  void account_node(const Shape& shape, bool is_reservation, NodeId node, TaskStatus as, HoldingId holding,
                    int sign);
  std::int64_t account_claimed(const Shape& shape, NodeId node, TaskStatus as, HoldingId held, int sign);
  void account_claims(const Task& task, const Placement& at, int sign);
  void account_queue(const Task& task, const Placement& at, int sign);
  // The same for the job alone.
  void count(const Task& task, TaskStatus status, int sign);
  // Brings the non-preemptible use of a semi-preemptible job's queue in line with its core.
  void settle_core(JobId job);
  // Likewise where one of its tasks has moved, came or went.
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
  // On a node, or on its way to one.
  bool has_a_place(const Task& task) const;
  std::string queue_charged_for(const Task& task) const;
  bool stays_in_its_group(const Task& task, const PodObject& object) const;
  void keep_membership(TaskId id, PodObject& object);
  void join_group(TaskId id, const std::string& name);
  void change_group(TaskId t, const Membership& wanted);
  void attach(TaskId t, JobId job);
  void detach(TaskId t);
  // A pod that stands on a node and belongs to no pod set is a job of its own.
  void settle_stray(TaskId t);
  void stand_alone(TaskId t);
  void stop_standing_alone(TaskId t);
  bool counts_alone(TaskId t) const;
  // Whom a job is charged to.
  bool takes_jobs(QueueId queue) const;
  QueueId named_queue(const Job& job) const;
  QueueId queue_told_by_members(JobId job) const;
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
  absl::flat_hash_set<std::string> config_maps_;                      // as key_of() has it
  absl::flat_hash_map<std::string, BindRequestFacts> bind_requests_;  // of pods, likewise
  absl::flat_hash_map<std::string, TopologyTree> topology_trees_;
  OwnerTable owners_;
  DeviceTable devices_;
  GroupTable groups_;
  HoldingTable holdings_;
  IdSet<TaskId> terminating_;
  IdSet<TaskId> claim_tasks_;              // with device claims
  std::map<Kind, BackedResource> backed_;  // by devices alone, or in part where they are GPUs
  std::size_t backing_kinds_ = 0;          // that were known when it was found out
  absl::flat_hash_map<TaskId, std::pair<std::vector<ZoneRecord>, std::vector<ZoneRecord>>>
      zone_records_;                                       // seen, and foretold
  absl::flat_hash_map<TaskId, Membership> wanted_groups_;  // of pods that named another while being bound

  // What refresh() has to bring up to date.
  bool classes_stale_ = true, claims_stale_ = false, slices_stale_ = false, zones_stale_ = false,
       topologies_stale_ = false, backing_stale_ = false;
  std::size_t sweep_at_ = 4096;  // so many interned things
  std::uint64_t sweeps_ = 0;
  std::uint64_t revision_ = 0;
  std::uint64_t placements_hash_ = 0;
  std::vector<ObjectWarning> warnings_;
};

}  // namespace muster
