// The objects that a source (a file or the API server) passes to the cluster. They are plain data: strings as
// in the API, amounts in the units of model/resources.hpp.
#pragma once

#include <type_traits>
#include <variant>

#include "model/device_objects.hpp"
#include "model/object_parts.hpp"
#include "model/work.hpp"

namespace muster {

enum class GpuRequestType : std::uint8_t { kRegular, kFraction, kGpuMemory, kMig };

struct GpuRequest {
  GpuRequestType type = GpuRequestType::kRegular;
  std::int32_t devices = 0;     // whole devices, or devices to take a share from
  double portion = 0;           // of each device: kFraction
  std::int64_t memory_mib = 0;  // of each device: kGpuMemory
  bool legacy_mig = false;      // a MIG profile in an annotation: refused on every node
  bool operator==(const GpuRequest&) const = default;
};

enum class PodPhase : std::uint8_t { kPending, kRunning, kSucceeded, kFailed, kUnknown };

struct OwnerReference {
  std::string kind, name, uid;  // in the namespace of the owned object; uid is "" if not given
  bool operator==(const OwnerReference&) const = default;
};

// A workload that may own pods, directly or through other owners.
struct OwnerObject {
  static constexpr std::string_view kKind = "";  // any that is not among the others
  Meta meta;
  bool has_uid = false;  // whether the source gave one
  std::string kind;
  std::string preemptibility;  // label kai.scheduler/preemptibility
  OwnerReference owner;        // kind is "" if there is none
};

// The requests of one container. Ordinary init containers run before the others.
struct ContainerRequest {
  bool runs_before = false;
  std::vector<NamedAmount> amounts;
  bool operator==(const ContainerRequest&) const = default;
};

struct PodObject {
  static constexpr std::string_view kKind = "Pod";
  Meta meta;
  PodPhase phase = PodPhase::kUnknown;
  std::optional<TimePoint> deletion;
  bool gated = false;
  bool stays_terminating = false;  // muster.dev/stays-terminating (embedded cluster)
  std::string scheduler;
  std::string node;
  std::string nominated_node;
  std::string pod_group;                     // annotation pod-group-name
  std::string last_queue;                    // annotation muster.dev/queue
  std::string sub_group;                     // label kai.scheduler/subgroup-name, "" = default
  std::string app;                           // label app: utility pods
  std::string preemptibility;                // label kai.scheduler/preemptibility
  OwnerReference owner;                      // the first owner; kind is "" if there is none
  std::optional<std::string> task_priority;  // label kai.scheduler/task-priority, unparsed
  bool leads_kubeflow = false;               // training.kubeflow.org/job-role master or launcher
  bool leads_ray = false;                    // ray.io/node-type head
  // Of containers, init containers and overhead; "nvidia.com/gpu" as devices*1000, for whole GPUs only;
  // without the pod slot.
  std::vector<NamedAmount> requests;
  // spec.resources of the pod, plus the overhead: replaces the requests of the containers.
  std::vector<NamedAmount> pod_level;
  std::string runtime_class;  // "" once an API server has seen the pod
  GpuRequest gpu;
  std::string container_claim;          // status.extendedResourceClaimStatus
  std::vector<std::string> gpu_groups;  // of a running pod with shared GPUs: labels runai-gpu-group…
  Constraints constraints;
  std::vector<ZoneRecord> numa_observed, numa_predicted;  // annotations
  bool guaranteed = false;                                // QoS class Guaranteed
  // Set if there is more than one, or an overhead; otherwise `requests` belongs to the only container.
  std::vector<ContainerRequest> containers;
  Work work;  // for simulated time
};

// Conditions that keep pods off a node; false if the node does not report them.
struct NodeConditions {
  bool unschedulable = false, not_ready = false, memory_pressure = false, disk_pressure = false,
       pid_pressure = false, network_unavailable = false;
  bool none() const {
    return !unschedulable && !not_ready && !memory_pressure && !disk_pressure && !pid_pressure &&
           !network_unavailable;
  }
  bool operator==(const NodeConditions&) const = default;
};

struct NodeObject {
  static constexpr std::string_view kKind = "Node";
  Meta meta;
  std::vector<NamedAmount> allocatable;
  std::vector<Taint> taints;
  NodeConditions conditions;
};

struct QueueAmounts {  // per resource; -1 = unlimited
  double quota = 0, limit = 0, weight = 0;
  bool limit_missing = false;  // counts as 0
  bool operator==(const QueueAmounts&) const = default;
};

struct QueueObject {
  static constexpr std::string_view kKind = "Queue";
  Meta meta;
  std::string display_name, parent_name;
  std::int32_t priority = 100;
  QueueAmounts cpu, memory, gpu;  // milli-cores, bytes, devices
  std::optional<Duration> preempt_min_runtime, reclaim_min_runtime;
  std::string expected_runtime, requeue_delay;  // annotations, unparsed
  std::vector<std::string> namespaces;  // namespaces that may use it, "*" matches any text; empty: all
};

struct TopologyConstraint {
  std::string topology, required, preferred;
  bool operator==(const TopologyConstraint&) const = default;
};

struct SubGroupObject {
  std::string name, parent;
  std::optional<std::int32_t> min_member, min_sub_group;
  TopologyConstraint topology;
  bool operator==(const SubGroupObject&) const = default;
};

struct PodGroupObject {
  static constexpr std::string_view kKind = "PodGroup";
  Meta meta;
  std::string queue;
  std::string priority_class;
  std::string preemptibility;  // unparsed
  std::optional<std::int32_t> min_member, min_sub_group;
  std::vector<SubGroupObject> sub_groups;
  TopologyConstraint topology;
  std::optional<Duration> preemption_delay, staleness_grace;
  bool mark_unschedulable = true;
  std::int32_t scheduling_backoff = -1;
  std::optional<TimePoint> last_start, last_eviction, stale_since;
  std::string last_queue;           // annotation muster.dev/queue
  std::string told_preemptibility;  // status.preemptibility, unparsed
  // Unparsed, because requeue.md requires a reason, not a read error, for bad values.
  std::optional<std::string> expected_runtime, requeue_delay, requeue_not_before, requeued_at;
  std::optional<std::string> eviction_receipt;  // annotation muster.dev/last-eviction, unparsed
  bool stays_terminating = false;
  // Node pool of the newest scheduling condition (highest transitionID), for schedulingBackoff.
  std::optional<std::string> unschedulable_node_pool;
  Work work;  // default for its pods, for simulated time
};

struct PriorityClassObject {
  static constexpr std::string_view kKind = "PriorityClass";
  Meta meta;
  std::int32_t value = 0;
  bool global_default = false;
};

struct TopologyLevel {
  std::string label, alias;
};
struct TopologyObject {
  static constexpr std::string_view kKind = "Topology";
  Meta meta;
  std::vector<TopologyLevel> levels;  // coarsest first
};

struct ConfigMapObject {
  static constexpr std::string_view kKind = "ConfigMap";
  Meta meta;
};

// Limits and defaults for the requests of a container, or of a whole pod, in a namespace.
struct LimitRangeItem {
  bool of_pod = false;  // else it applies to each container
  std::vector<NamedAmount> default_limit, default_request, min, max;
};
struct LimitRangeObject {
  static constexpr std::string_view kKind = "LimitRange";
  Meta meta;
  std::vector<LimitRangeItem> items;
};

// The settings that pods with a runtime class get when they are created.
struct RuntimeClassObject {
  static constexpr std::string_view kKind = "RuntimeClass";
  Meta meta;
  std::vector<NamedAmount> overhead;  // overhead.podFixed
  Labels node_selector;               // scheduling
  std::vector<Toleration> tolerations;
};

// ---- storage

struct VolumeClaimObject {
  static constexpr std::string_view kKind = "PersistentVolumeClaim";
  Meta meta;
  std::optional<std::string> storage_class;
  std::string volume;  // spec.volumeName
  bool bound = false;  // status.phase Bound
  bool is_going = false;
  std::int64_t bytes = 0;
  std::vector<std::string> access_modes;
  LabelSelector selector;
  std::string volume_mode;
  std::string selected_node;  // annotation volume.kubernetes.io/selected-node
  std::vector<std::string> owner_pod_uids;
};
struct VolumeObject {
  static constexpr std::string_view kKind = "PersistentVolume";
  Meta meta;
  std::string storage_class, claim_ns, claim_name, claim_uid, phase, volume_mode;
  std::int64_t bytes = 0;
  std::vector<std::string> access_modes;
  bool has_node_affinity = false;
  std::vector<NodeTerm> node_affinity;
  std::string csi_driver, csi_handle;  // "": not of a CSI driver
};
struct StorageClassObject {
  static constexpr std::string_view kKind = "StorageClass";
  Meta meta;
  std::string provisioner;
  bool wait_for_first_consumer = false;
  std::vector<NodeTerm> allowed_topologies;
};
struct StorageCapacityObject {
  static constexpr std::string_view kKind = "CSIStorageCapacity";
  Meta meta;
  std::string storage_class;
  LabelSelector node_topology;
  std::int64_t capacity = 0;
  std::optional<std::int64_t> largest_volume;
};
struct CsiDriverObject {
  static constexpr std::string_view kKind = "CSIDriver";
  Meta meta;
  bool storage_capacity = false;
};
// How many volumes each driver can attach to the node of the same name.
struct CsiNodeObject {
  static constexpr std::string_view kKind = "CSINode";
  Meta meta;
  struct Driver {
    std::string name;
    std::int64_t most_volumes = 0;
  };
  std::vector<Driver> drivers;  // only those with a limit
};

// ---------------------------------------------------------------- the variant of all kinds

using Object =
    std::variant<NodeObject, QueueObject, PriorityClassObject, PodGroupObject, PodObject, BindRequestObject,
                 TopologyObject, ConfigMapObject, VolumeClaimObject, VolumeObject, StorageClassObject,
                 StorageCapacityObject, CsiDriverObject, CsiNodeObject, ResourceClaimObject,
                 ResourceSliceObject, DeviceClassObject, DeviceTaintRuleObject, NodeTopologyObject,
                 LimitRangeObject, RuntimeClassObject, OwnerObject>;

// Calls `visit(std::type_identity<T>())` for the T of that kind. Returns false if the kind is unknown.
template <class Visit>
bool visit_kind(std::string_view kind, Visit visit) {
  const auto is_visited = [&]<class T>(std::type_identity<T> type) {
    if (T::kKind != kind) return false;
    visit(type);
    return true;
  };
  return [&]<class... T>(const std::variant<T...>*) {
    return (is_visited(std::type_identity<T>()) || ...);
  }(static_cast<const Object*>(nullptr));
}

}  // namespace muster
