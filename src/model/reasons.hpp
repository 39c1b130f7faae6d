// Why a job waits and why a node refuses a task, as data. Texts are made from it in reason_text.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/ids.hpp"
#include "model/resources.hpp"
#include "model/search_report.hpp"
#include "util/time.hpp"

namespace muster {

enum class NodeRule : std::uint8_t {
  kResources,  // `kind` is short
  kGpuLargerThanDevice,
  kQueueCapacity,
  kNodeType,
  kGpuMemoryUnknown,
  kPodSlots,
  kUnschedulable,
  kNotReady,
  kMemoryPressure,
  kDiskPressure,
  kPidPressure,
  kNetworkUnavailable,
  kHostPorts,
  kTaints,
  kNodeAffinity,
  kPodAffinity,
  kPodAntiAffinity,
  kExistingAntiAffinity,
  kVolumes,  // volume `what` can not be reached, or no volume for claim `what` be had
  kStorage,  // class `what` has `available` bytes of `wanted`
  kWorkerRole,
  kDevices,         // claim `what` finds `available` devices of `wanted`
  kClaimElsewhere,  // the devices of claim `what` are on other nodes
  kZones,           // no NUMA zones for what it asks for; of `kind` the best has `available` of `wanted`
};

// Why one node refuses one task.
struct NodeRefusal {
  NodeRule rule = NodeRule::kResources;
  Kind kind;  // kResources: the first kind that is short
  std::string what;
  std::int64_t wanted = 0, available = 0;
  auto operator<=>(const NodeRefusal&) const = default;
};

struct RefusalCount {
  NodeRefusal refusal;
  std::int64_t nodes = 0;
};

enum class JobRule : std::uint8_t {
  kQueueMissing,
  kQueueNotLeaf,
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
  kVolumeClaimOrphaned,  // the pod that owns `name` is gone
  kStorageClassMissing,  // class `name` of claim `of`
  kVolumeMissing,        // volume `name` of claim `of`
  kDeviceClaimMissing,   // `name`; "" where it was not made from its template yet
  kDeviceClaimFull,      // `name` has as many consumers as one may have
  kDeviceClaimOfOther,   // `name` is for queue `of`, or for none
  kDeviceClassMissing,   // class `name` of claim `of`
  kDeviceClaimsOff,
  kPreemptionDelay,   // until `until`
  kTopologyMissing,   // topology `name`
  kTopologyLevel,     // topology `name` has no level `level`, or not where the constraint needs it
  kTopology,          // no domain on `level` of topology `name` has room: `domains`
  kTopologyTooSmall,  // the same even if all of them were empty
  kTooLittleToFree,   // `wanted` GPUs must be freed, `bound` could be; `spared` says what stands in the way
  kSharesInTheWay,    // `wanted` GPUs must be freed, less than `bound` may be taken from `queue` and others
  kSearchUnresolved,  // a limit of the search was reached after `needed` scenarios
};

// How far a domain of a topology is from taking all pods of a group, or a shared GPU from taking a pod.
struct DomainShortage {
  std::string domain;
  std::int64_t pods = -1;             // that fit; negative: not counted in pods
  Kind kind;                          // then what is short
  std::int64_t wanted = 0, free = 0;  // of it
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
  std::vector<RefusalCount> nodes;      // most refusals first
  std::string level;                    // of a topology, by its label
  std::string domain;                   // kNoNode: where the nodes were looked for; "": everywhere
  std::vector<DomainShortage> domains;  // those with most room, first; kNoNode: the nearest device
  std::int64_t domain_count = 0;        // all there are on the level
  std::vector<SparedJobs> spared;       // by rule, the most first
};

}  // namespace muster
