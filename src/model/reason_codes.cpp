// Each rule has one code, which never changes.
#include "model/reason_codes.hpp"

namespace muster {

// NOLINTNEXTLINE(readability-function-size): a case for each rule, in one place
std::string_view code_of(JobRule rule) {
  switch (rule) {
    case JobRule::kQueueMissing:
      return "QueueDoesNotExist";
    case JobRule::kQueueNotLeaf:
      return "QueueIsNotALeaf";
    case JobRule::kQueueClosed:
      return "QueueClosedToNamespace";
    case JobRule::kNotReady:
      return "NotReady";
    case JobRule::kGatedTasks:
      return "SchedulingGated";
    case JobRule::kUnknownSubGroup:
      return "UnknownSubGroup";
    case JobRule::kBackedOff:
      return "SchedulingBackoff";
    case JobRule::kOverLimit:
      return "OverLimit";
    case JobRule::kOverQuota:
      return "NonPreemptibleOverQuota";
    case JobRule::kNoNode:
      return "PodSchedulingErrors";
    case JobRule::kLargerThanAnyNode:
      return "RequestLargerThanAnyNode";
    case JobRule::kBadGpuRequest:
      return "InvalidGpuRequest";
    case JobRule::kConfigMapMissing:
      return "ConfigMapDoesNotExist";
    case JobRule::kVolumeClaimMissing:
      return "VolumeClaimDoesNotExist";
    case JobRule::kVolumeClaimUnbound:
      return "VolumeClaimNotBound";
    case JobRule::kVolumeClaimGoing:
      return "VolumeClaimBeingDeleted";
    case JobRule::kVolumeClaimOrphaned:
      return "VolumeClaimOwnerGone";
    case JobRule::kStorageClassMissing:
      return "StorageClassDoesNotExist";
    case JobRule::kVolumeMissing:
      return "VolumeDoesNotExist";
    case JobRule::kDeviceClaimMissing:
      return "ResourceClaimDoesNotExist";
    case JobRule::kDeviceClaimFull:
      return "ResourceClaimFull";
    case JobRule::kDeviceClaimOfOther:
      return "ResourceClaimOfOtherQueue";
    case JobRule::kDeviceClassMissing:
      return "DeviceClassDoesNotExist";
    case JobRule::kDeviceClaimsOff:
      return "ResourceClaimsOff";
    case JobRule::kTooManyTerms:
      return "TooManyPodAffinityTerms";
    case JobRule::kPreemptionDelay:
      return "PreemptionDelayNotElapsed";
    case JobRule::kTopologyMissing:
      return "TopologyDoesNotExist";
    case JobRule::kTopologyLevel:
      return "TopologyLevelDoesNotExist";
    case JobRule::kTopology:
      return "TopologyNotSatisfiable";
    case JobRule::kTopologyTooSmall:
      return "TopologyDomainsTooSmall";
    case JobRule::kTooLittleToFree:
      return "TooLittleCouldBeFreed";
    case JobRule::kSharesInTheWay:
      return "SharesDoNotAllow";
    case JobRule::kSearchUnresolved:
      return "ScenarioSearchUnresolved";
    case JobRule::kProtected:
      return "VictimsProtected";
    case JobRule::kBindRefused:
      return "BindRefused";
  }
  return "Unknown";
}

std::string_view code_of(NodeRule rule) {
  switch (rule) {
    case NodeRule::kResources:
      return "NotEnoughResources";
    case NodeRule::kGpuLargerThanDevice:
      return "LargerThanOneGpu";
    case NodeRule::kQueueCapacity:
      return "QueueCapacity";
    case NodeRule::kNodeType:
      return "NodeType";
    case NodeRule::kGpuMemoryUnknown:
      return "GpuMemoryUnknown";
    case NodeRule::kPodSlots:
      return "PodSlots";
    case NodeRule::kUnschedulable:
      return "Unschedulable";
    case NodeRule::kNotReady:
      return "NotReady";
    case NodeRule::kMemoryPressure:
      return "MemoryPressure";
    case NodeRule::kDiskPressure:
      return "DiskPressure";
    case NodeRule::kPidPressure:
      return "PidPressure";
    case NodeRule::kNetworkUnavailable:
      return "NetworkUnavailable";
    case NodeRule::kHostPorts:
      return "HostPorts";
    case NodeRule::kTaints:
      return "Taints";
    case NodeRule::kNodeAffinity:
      return "NodeAffinity";
    case NodeRule::kPodAffinity:
      return "PodAffinity";
    case NodeRule::kPodAntiAffinity:
      return "PodAntiAffinity";
    case NodeRule::kExistingAntiAffinity:
      return "ExistingPodsAntiAffinity";
    case NodeRule::kVolumes:
      return "Volumes";
    case NodeRule::kStorage:
      return "Storage";
    case NodeRule::kVolumeLimit:
      return "VolumeLimit";
    case NodeRule::kWorkerRole:
      return "WorkerRole";
    case NodeRule::kDevices:
      return "Devices";
    case NodeRule::kClaimElsewhere:
      return "DevicesElsewhere";
    case NodeRule::kSelectorsTooCostly:
      return "SelectorsTooCostly";
    case NodeRule::kSelectorsUnfinished:
      return "SelectorsUnfinished";
    case NodeRule::kZones:
      return "NumaZones";
  }
  return "Unknown";
}

}  // namespace muster
