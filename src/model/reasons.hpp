// Why a job is pending and why a node refuses a task, as data. reason_text.hpp renders it.
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
  kResources,  // `wanted` of `kind` is requested, `available` is free; nothing requested: the node is
               // overdrawn
  kGpuLargerThanDevice,  // a device has `available` of the `wanted` bytes of GPU memory
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
  kPodAntiAffinity,       // likewise; pod `who` is there
  kExistingAntiAffinity,  // `what` is a term of pod `who`, which is there
  kVolumes,               // claim `what`: volume `who` cannot be reached, or class `who` has none
  kStorage,               // class `what` has `available` of `wanted` bytes
  kVolumeLimit,           // driver `what` can attach `available` of `wanted` more volumes
  kWorkerRole,            // label `what` is missing
  kDevices,               // claim `what` needs `wanted` devices, `available` are free
  kClaimElsewhere,        // the devices of claim `what` are on other nodes
  kSelectorsTooCostly,    // selectors of claim `what` need `wanted` steps or more; `available` are allowed
  kSelectorsUnfinished,   // selectors of claim `what` are not evaluated yet; the next cycle continues
  kZones,  // no NUMA zones fit the request; the best has `available` of `wanted` units of `kind`
};

// Why one node refuses one task. Filters set only the rule; the details are filled in by Hooks::name_refusal,
// and only if they are reported.
struct NodeRefusal {
  NodeRule rule = NodeRule::kResources;
  Kind kind;  // kResources: the first kind that is short
  std::string what;
  std::int64_t wanted = 0, available = 0;
  std::string who;  // one of several
  auto operator<=>(const NodeRefusal&) const = default;
};

// Nodes that refuse by the same rule for the same cause; `available` and `who` are from the node that has
// most.
struct RefusalCount {
  NodeRefusal refusal;
  std::int64_t nodes = 0;
};

enum class JobRule : std::uint8_t {
  kQueueMissing,
  kQueueNotLeaf,
  kQueueClosed,
  kNotReady,  // `placed` of `needed` tasks exist in `pod_set`
  kGatedTasks,
  kUnknownSubGroup,
  kBackedOff,
  kOverLimit,          // at `queue`: `held` + `wanted` > `bound` of `resource`
  kOverQuota,          // the same for non-preemptible jobs
  kNoNode,             // `placed` of `needed` tasks fit; `nodes` refused `task`
  kLargerThanAnyNode,  // `task` requests `wanted` of `kind`, the largest node has `bound`
  kBadGpuRequest,      // annotation or resource `name` of `task` has the unusable value `of`
  kConfigMapMissing,
  kVolumeClaimMissing,
  kVolumeClaimUnbound,   // `name` must be bound before a pod uses it, but is not
  kVolumeClaimGoing,     // `name` is being deleted
  kVolumeClaimOrphaned,  // the pod that owns `name` is gone
  kStorageClassMissing,  // class `name` of claim `of`
  kVolumeMissing,        // volume `name` of claim `of`
  kDeviceClaimMissing,   // `name`; "" if it has not been created from its template yet
  kDeviceClaimFull,      // `name` has the maximum number of consumers
  kDeviceClaimOfOther,   // `name` belongs to queue `of`, or to no queue
  kDeviceClassMissing,   // class `name` of claim `of`
  kDeviceClaimsOff,
  kTooManyTerms,     // namespace `name` has more than `bound` terms like those of `task`
  kPreemptionDelay,  // until `until`
  kTopologyMissing,  // topology `name`
  kTopologyLevel,  // topology `name` has no level `level`, or it is below the level that the constraint needs
  kTopology,       // no domain at `level` of topology `name` has room: `domains`
  kTopologyTooSmall,  // likewise, even if all of them were empty
  kTooLittleToFree,   // `wanted` GPUs must be free, evictions yield at most `bound`; `spared` says why
  kSharesInTheWay,    // `wanted` GPUs must be freed, less than `bound` may be taken from `queue` and others
  kSearchUnresolved,  // a limit was reached after `needed` scenarios; 0: before the first
  kProtected,         // jobs that could make room are protected for a while: `spared`
  kBindRefused,       // pod `of` could not be bound because of `name`; the job is not retried before `until`
};

// How much a topology domain lacks to take all pods of a group, or a shared GPU to take a pod.
struct DomainShortage {
  std::string domain;
  std::int64_t pods = -1;             // number of pods that fit; negative: unknown, see `kind`
  Kind kind;                          // the resource that is short
  std::int64_t wanted = 0, free = 0;  // amounts of `kind`
};

// The queues and pods that use a resource of the cluster, in its units.
struct Holders {
  struct Share {
    QueueId queue;  // a leaf; not valid: pods outside all queues
    std::int64_t units = 0;
  };
  Kind kind;
  std::int64_t total = 0, free = 0;    // over all nodes
  std::vector<Share> most;             // the largest shares, largest first
  std::int64_t others = 0;             // used by further queues
  std::vector<std::string> outsiders;  // the largest of the pods outside all queues
  std::int64_t outsider_count = 0;     // number of all such pods
};

struct JobReason {
  JobRule rule = JobRule::kNoNode;
  QueueId queue;
  Accounted resource = Accounted::kCores;
  double wanted = 0, held = 0, bound = 0;
  Kind kind;
  TaskId task;
  std::string pod_set;  // "" if the job has only one
  std::int32_t placed = 0, needed = 0;
  bool is_gang = false;
  std::string name;  // of a missing object or a topology
  std::string of;    // the object that refers to it
  std::optional<TimePoint> until;
  std::vector<RefusalCount> nodes;         // most refusals first
  std::string level;                       // of a topology, named by its label
  std::string domain;                      // kNoNode: where nodes were searched; "": everywhere
  std::vector<DomainShortage> domains;     // most room first; kNoNode: the closest device
  std::int64_t domain_count = 0;           // number of all domains on the level
  std::vector<NotEvictableJobs> spared;    // by rule, largest first
  std::shared_ptr<const Holders> holders;  // of the resource that is short; null: not requested, or unused
};

}  // namespace muster
