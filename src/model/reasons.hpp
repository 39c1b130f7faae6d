// Why a job waits and why a node refuses a task, as data. Texts are made from it in reason_text.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/ids.hpp"
#include "model/resources.hpp"
#include "model/search_report.hpp"
#include "util/time.hpp"

namespace muster {

enum class NodeRule : std::uint8_t {
  kResources,  // of `kind`, `available` is free of `wanted`; nothing wanted: there is less than nothing
  kGpuLargerThanDevice,  // of `wanted` bytes of GPU memory a device has `available`
  kQueueCapacity,        // of queue `what`
  kNodeType,
  kGpuMemoryUnknown,
  kPodSlots,
  kUnschedulable,
  kNotReady,
  kMemoryPressure,
  kDiskPressure,
  kPidPressure,
  kNetworkUnavailable,
  kHostPorts,             // `what`: "8080/TCP"
  kTaints,                // `what`: "dedicated=infra:NoSchedule"
  kNodeAffinity,          // `what`: "nodeSelector gpu=h200", "affinity: zone In [a, b]"
  kPodAffinity,           // `what`: "app=db by zone", selector and label of the term
  kPodAntiAffinity,       // likewise; pod `who` stands there
  kExistingAntiAffinity,  // `what` is a term of pod `who`, which stands there
  kVolumes,               // claim `what`: volume `who` can not be reached, or class `who` has none
  kStorage,               // class `what` has `available` bytes of `wanted`
  kVolumeLimit,           // driver `what` can attach `available` more volumes of `wanted`
  kWorkerRole,            // label `what` is missing
  kDevices,               // claim `what` finds `available` devices of `wanted`
  kClaimElsewhere,        // the devices of claim `what` are on other nodes
  kZones,  // no NUMA zones for what it asks for; of `kind` the best has `available` of `wanted`
};

// Why one node refuses one task. Filters say the rule; what stands in the way is named only where somebody is
// told: Hooks::name_refusal.
struct NodeRefusal {
  NodeRule rule = NodeRule::kResources;
  Kind kind;  // kResources: the first kind that is short
  std::string what;
  std::int64_t wanted = 0, available = 0;
  std::string who;  // of several, one
  auto operator<=>(const NodeRefusal&) const = default;
};

// Nodes that refuse by the same rule for the same thing; `available` and `who` are those of the node that has
// most.
struct RefusalCount {
  NodeRefusal refusal;
  std::int64_t nodes = 0;
};

enum class JobRule : std::uint8_t {
  kQueueMissing,
  kQueueNotLeaf,
  kQueueClosed,
  kNotReady,  // `placed` tasks exist of `needed` in `pod_set`
  kGatedTasks,
  kUnknownSubGroup,
  kBackedOff,
  kOverLimit,          // at `queue`: `held` + `wanted` > `bound` of `resource`
  kOverQuota,          // the same for non-preemptible jobs
  kNoNode,             // `placed` of `needed` found a place; `task` was refused by `nodes`
  kLargerThanAnyNode,  // `task` wants `wanted` of `kind`, the largest node has `bound`
  kConfigMapMissing,
  kVolumeClaimMissing,
  kVolumeClaimUnbound,   // `name` is to be bound before a pod uses it, and is not
  kVolumeClaimGoing,     // `name` is being deleted
  kVolumeClaimOrphaned,  // the pod that owns `name` is gone
  kStorageClassMissing,  // class `name` of claim `of`
  kVolumeMissing,        // volume `name` of claim `of`
  kDeviceClaimMissing,   // `name`; "" where it was not made from its template yet
  kDeviceClaimFull,      // `name` has as many consumers as one may have
  kDeviceClaimOfOther,   // `name` is for queue `of`, or for none
  kDeviceClassMissing,   // class `name` of claim `of`
  kDeviceClaimsOff,
  kTooManyTerms,      // `task` has terms like which namespace `name` has more than `bound`
  kPreemptionDelay,   // until `until`
  kTopologyMissing,   // topology `name`
  kTopologyLevel,     // topology `name` has no level `level`, or not where the constraint needs it
  kTopology,          // no domain on `level` of topology `name` has room: `domains`
  kTopologyTooSmall,  // the same even if all of them were empty
  kTooLittleToFree,   // `wanted` GPUs must be freed, `bound` could be; `spared` says what stands in the way
  kSharesInTheWay,    // `wanted` GPUs must be freed, less than `bound` may be taken from `queue` and others
  kSearchUnresolved,  // a limit was reached after `needed` scenarios; 0: before its turn
  kProtected,         // jobs that might make room are `spared` for a while
  kBindRefused,       // pod `of` could not be bound, `name` says why; nothing of the job before `until`
};

// How far a domain of a topology is from taking all pods of a group, or a shared GPU from taking a pod.
struct DomainShortage {
  std::string domain;
  std::int64_t pods = -1;             // that fit; negative: not counted in pods
  Kind kind;                          // then what is short
  std::int64_t wanted = 0, free = 0;  // of it
};

// Who has what the cluster has of a resource, in its units.
struct Holders {
  struct Share {
    QueueId queue;  // a leaf; not valid: pods outside of all queues
    std::int64_t units = 0;
  };
  Kind kind;
  std::int64_t total = 0, free = 0;    // on all nodes
  std::vector<Share> most;             // those that hold most, first
  std::int64_t others = 0;             // held by further queues
  std::vector<std::string> outsiders;  // some pods outside of all queues, those that hold most
  std::int64_t outsider_count = 0;     // all of them
};

struct JobReason {
  JobRule rule = JobRule::kNoNode;
  QueueId queue;
  Accounted resource = Accounted::kCores;
  double wanted = 0, held = 0, bound = 0;
  Kind kind;
  TaskId task;
  std::string pod_set;  // "" where the job has one only
  std::int32_t placed = 0, needed = 0;
  bool is_gang = false;
  std::string name;  // of a missing object, of a topology
  std::string of;    // the object that names it
  std::optional<TimePoint> until;
  std::vector<RefusalCount> nodes;         // most refusals first
  std::string level;                       // of a topology, by its label
  std::string domain;                      // kNoNode: where the nodes were looked for; "": everywhere
  std::vector<DomainShortage> domains;     // those with most room, first; kNoNode: the nearest device
  std::int64_t domain_count = 0;           // all there are on the level
  std::vector<SparedJobs> spared;          // by rule, the most first
  std::shared_ptr<const Holders> holders;  // of what is short; null: not asked for, or nobody
};

}  // namespace muster
