// What a pod needs besides a node, and how muster provides it before it binds the pod.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/device_objects.hpp"
#include "model/extended_resources.hpp"
#include "serve/write/bind_volumes.hpp"

namespace muster {
struct BindDecision;
}

namespace muster::serve {

// A ResourceClaim by name, and the devices to allocate to it.
struct DeviceNeed {
  std::string claim;
  AllocationObject allocation;
  // Set if the claim represents extended resources of containers; it is then created if it is missing.
  std::optional<ContainerDevices> of_containers;
};

struct BindNeeds {
  std::vector<DeviceNeed> devices;
  std::vector<VolumeNeed> volumes;
  bool shares_gpu = false;
};
BindNeeds needs_of(const Cluster& cluster, const BindDecision& decision);
// The needs that KAI's binder does not handle.
BindNeeds of_containers_only(const BindNeeds& needs);

// Writes the devices into the claims, assigns volumes to volume claims and waits until these are bound.
// Returns the problem, or "" if the pod may be bound.
kube::Async<std::string> provide(WriteServices parts, const PodIdentity* pod, std::string node,
                                 const BindNeeds* needs);

// Reverts what provide() wrote for a pod that is not bound after all.
kube::Async<void> release(WriteServices parts, const PodIdentity* pod, std::string node,
                          const BindNeeds* needs);

}  // namespace muster::serve
