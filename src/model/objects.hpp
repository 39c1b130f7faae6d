// What a source (a file, the API server) knows of each object, in the form in which the cluster takes it.
// Plain data: strings as the API has them, amounts already in the units of model/resources.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "util/time.hpp"

namespace muster {

using Labels = std::vector<std::pair<std::string, std::string>>;  // sorted by key

struct Meta {
  std::string ns;  // "" for cluster-scoped objects, "default" where a namespaced one has none
  std::string name;
  std::string uid;  // namespace/name where the object has none
  TimePoint created{};
  Labels labels;
};

// ---------------------------------------------------------------- constraints of a pod

enum class Operator : std::uint8_t { kIn, kNotIn, kExists, kDoesNotExist, kGt, kLt };

struct Requirement {  // of node affinity and label selectors
  std::string key;
  Operator op = Operator::kIn;
  std::vector<std::string> values;
  bool operator==(const Requirement&) const = default;
};

struct NodeTerm {  // all requirements must hold; an empty term matches nothing
  std::vector<Requirement> labels;
  std::vector<Requirement> fields;  // metadata.name
  bool operator==(const NodeTerm&) const = default;
};

struct LabelSelector {  // nothing: matches no object; empty: matches every object
  bool present = false;
  std::vector<Requirement> requirements;  // matchLabels become In with one value
  bool operator==(const LabelSelector&) const = default;
};

struct PodAffinityTerm {
  LabelSelector selector;
  std::string topology_key;
  std::vector<std::string> namespaces;  // none and no namespace selector: the pod's own
  LabelSelector namespace_selector;
  std::int32_t weight = 0;  // preferred terms only
  bool operator==(const PodAffinityTerm&) const = default;
};

enum class TaintEffect : std::uint8_t { kAny, kNoSchedule, kPreferNoSchedule, kNoExecute };

struct Taint {
  std::string key, value;
  TaintEffect effect = TaintEffect::kNoSchedule;
  bool operator==(const Taint&) const = default;
};

struct Toleration {
  std::string key, value;
  bool exists = false;  // operator Exists; an empty key then tolerates everything
  TaintEffect effect = TaintEffect::kAny;
  bool operator==(const Toleration&) const = default;
};

struct HostPort {
  std::string ip, protocol;  // "0.0.0.0" and "TCP" where not given
  std::int32_t port = 0;
  bool operator==(const HostPort&) const = default;
};

struct ClaimReference {  // spec.resourceClaims[]
  std::string name;      // inside the pod
  std::string claim;     // ResourceClaim in the pod's namespace; of a template: the generated name, or ""
  bool from_template = false;
  bool operator==(const ClaimReference&) const = default;
};

// Everything about a pod, besides amounts, that says where it may go. Pods with equal constraints share one
// copy.
struct Constraints {
  std::vector<std::pair<std::string, std::string>> node_selector;  // sorted
  bool has_required_affinity = false;
  std::vector<NodeTerm> required_affinity;  // one must match
  std::vector<Toleration> tolerations;
  std::vector<HostPort> host_ports;
  std::vector<PodAffinityTerm> pod_affinity, pod_anti_affinity;  // required
  std::vector<PodAffinityTerm> preferred_affinity, preferred_anti_affinity;
  std::vector<std::string> volume_claims;  // PersistentVolumeClaim names, generic ephemeral ones included
  std::vector<std::string> config_maps;    // referenced and not optional
  std::vector<ClaimReference> resource_claims;
  std::string priority_class;  // spec.priorityClassName and spec.priority: only the failed-job pool
  std::int32_t priority = 0;   // looks at them (actions.md 10)
  bool has_spread_constraints = false;
  std::string spread_text;  // the constraints as text, compared only
  bool operator==(const Constraints&) const = default;
};

// ---------------------------------------------------------------- the objects

enum class GpuRequestType : std::uint8_t { kRegular, kFraction, kGpuMemory, kMig };

struct GpuRequest {
  GpuRequestType type = GpuRequestType::kRegular;
  std::int32_t devices = 0;     // whole devices, or devices that a share is taken from
  double portion = 0;           // of each device: kFraction
  std::int64_t memory_mib = 0;  // of each device: kMemory
  bool legacy_mig = false;      // a MIG profile as annotation: refused everywhere
  bool operator==(const GpuRequest&) const = default;
};

struct NamedAmount {
  std::string name;  // as the API has it: "cpu", "nvidia.com/mig-1g.5gb"
  std::int64_t units = 0;
  bool operator==(const NamedAmount&) const = default;
};

enum class PodPhase : std::uint8_t { kPending, kRunning, kSucceeded, kFailed, kUnknown };

struct OwnerReference {
  std::string kind, name, uid;  // in the namespace of what is owned; uid "" where not given
  bool operator==(const OwnerReference&) const = default;
};

// A workload that may have made pods, directly or through others.
struct OwnerObject {
  Meta meta;
  bool has_uid = false;  // the source gave one
  std::string kind;
  std::string preemptibility;  // label kai.scheduler/preemptibility
  OwnerReference owner;        // kind "" where there is none
};

// What one container of a pod asks for; ordinary init containers run before the others.
struct ContainerRequest {
  bool runs_before = false;
  std::vector<NamedAmount> amounts;
  bool operator==(const ContainerRequest&) const = default;
};

// Where a pod's CPUs, memory and devices lie, as somebody wrote it down.
struct ZoneRecord {
  std::string zone;
  std::vector<NamedAmount> amounts;
};

struct PodObject {
  Meta meta;
  PodPhase phase = PodPhase::kUnknown;
  std::optional<TimePoint> deletion;
  bool gated = false;
  bool stays_terminating = false;  // muster.dev/stays-terminating (embedded cluster)
  std::string scheduler;
  std::string node;
  std::string nominated_node;
  std::string pod_group;                     // annotation pod-group-name
  std::string sub_group;                     // label kai.scheduler/subgroup-name, "" = default
  std::string app;                           // label app: utility pods
  std::string preemptibility;                // label kai.scheduler/preemptibility
  OwnerReference owner;                      // the first; kind "" where there is none
  std::optional<std::string> task_priority;  // label kai.scheduler/task-priority, unparsed
  bool leads_kubeflow = false;               // training.kubeflow.org/job-role master or launcher
  bool leads_ray = false;                    // ray.io/node-type head
  std::vector<NamedAmount> requests;  // containers, init containers and overhead; GPUs as devices*1000 under
                                      // "nvidia.com/gpu" only for whole ones; never the pod slot
  GpuRequest gpu;
  std::vector<std::string> gpu_groups;  // of a running share: labels runai-gpu-group…
  Constraints constraints;
  std::vector<ZoneRecord> numa_observed, numa_predicted;  // annotations
  bool guaranteed = false;                                // QoS class Guaranteed
  // Where there is more than one, or an overhead; else the only one asks for `requests`.
  std::vector<ContainerRequest> containers;
};

struct NodeObject {
  Meta meta;
  std::vector<NamedAmount> allocatable;
  std::vector<Taint> taints;
  bool unschedulable = false;
  // Conditions that keep pods away, each false where the node does not report it.
  bool not_ready = false, memory_pressure = false, disk_pressure = false, pid_pressure = false,
       network_unavailable = false;
};

struct QueueAmounts {  // per resource; -1 = unlimited
  double quota = 0, limit = 0, weight = 0;
  bool operator==(const QueueAmounts&) const = default;
};

struct QueueObject {
  Meta meta;
  std::string display_name, parent;
  std::int32_t priority = 100;
  QueueAmounts cpu, memory, gpu;  // milli-cores, bytes, devices
  std::optional<Duration> preempt_min_runtime, reclaim_min_runtime;
  std::string expected_runtime, requeue_delay;  // annotations, unparsed
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
  // Unparsed: a bad value is a reason of its own (requeue.md), not an error of reading.
  std::optional<std::string> expected_runtime, requeue_delay, requeue_not_before, requeued_at;
  bool stays_terminating = false;
  // The newest scheduling condition's node pool (highest transitionID), for schedulingBackoff.
  std::optional<std::string> unschedulable_node_pool;
};

struct PriorityClassObject {
  Meta meta;
  std::int32_t value = 0;
  bool global_default = false;
};

struct TopologyLevel {
  std::string label, alias;
};
struct TopologyObject {
  Meta meta;
  std::vector<TopologyLevel> levels;  // coarsest first
};

struct ConfigMapObject {
  Meta meta;
};

// ---- storage

struct VolumeClaimObject {
  Meta meta;
  std::optional<std::string> storage_class;
  std::string volume;  // spec.volumeName
  bool bound = false;  // status.phase Bound
  std::int64_t bytes = 0;
  std::vector<std::string> access_modes;
  LabelSelector selector;
  std::string volume_mode;
  std::string selected_node;  // annotation volume.kubernetes.io/selected-node
  std::vector<std::string> owner_pod_uids;
};
struct VolumeObject {
  Meta meta;
  std::string storage_class, claim_ns, claim_name, claim_uid, phase, volume_mode;
  std::int64_t bytes = 0;
  std::vector<std::string> access_modes;
  bool has_node_affinity = false;
  std::vector<NodeTerm> node_affinity;
};
struct StorageClassObject {
  Meta meta;
  std::string provisioner;
  bool wait_for_first_consumer = false;
  std::vector<NodeTerm> allowed_topologies;
};
struct StorageCapacityObject {
  Meta meta;
  std::string storage_class;
  LabelSelector node_topology;
  std::int64_t capacity = 0;
  std::optional<std::int64_t> largest_volume;
};
struct CsiDriverObject {
  Meta meta;
  bool storage_capacity = false;
};

}  // namespace muster
