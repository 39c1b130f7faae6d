// What a pod needs besides a node, and what a bind of our own does about it before it goes out.
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

// A ResourceClaim by name, and the devices that it gets.
struct DeviceNeed {
  std::string claim;
  AllocationObject allocation;
  std::optional<ContainerDevices>
      of_containers;  // the claim stands for these, and is made where it is missing
};

struct BindNeeds {
  std::vector<DeviceNeed> devices;
  std::vector<VolumeNeed> volumes;
  bool shares_gpu = false;
};
BindNeeds needs_of(const Cluster& cluster, const BindDecision& decision);
// Those that KAI's binder knows nothing of.
BindNeeds of_containers_only(const BindNeeds& needs);

// Writes the devices into the claims, gives volume claims their volumes, and waits for these. What went
// wrong;
// "": nothing, the pod may be bound.
kube::Async<std::string> provide(WriteParts parts, const PodIdentity& pod, const std::string& node,
                                 const BindNeeds& needs);

// Takes back what provide() wrote for a pod that is not bound after all.
kube::Async<void> release(WriteParts parts, const PodIdentity& pod, const std::string& node,
                          const BindNeeds& needs);

}  // namespace muster::serve
