// What a pod needs besides a node, and what a bind of our own does about it before it goes out.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/device_objects.hpp"
#include "serve/write/bind_volumes.hpp"

namespace muster {
struct BindDecision;
}

namespace muster::serve {

struct BindNeeds {
  // ResourceClaims by name, and the devices that each of them gets.
  std::vector<std::pair<std::string, AllocationObject>> devices;
  std::vector<VolumeNeed> volumes;
  bool shares_gpu = false;
};
BindNeeds needs_of(const Cluster& cluster, const BindDecision& decision);

// Writes the devices into the claims, gives volume claims their volumes, and waits for these. What went
// wrong;
// "": nothing, the pod may be bound.
kube::Async<std::string> provide(WriteParts parts, const PodIdentity& pod, const std::string& node,
                                 const BindNeeds& needs);

// Takes back what provide() wrote for a pod that is not bound after all.
kube::Async<void> release(WriteParts parts, const PodIdentity& pod, const std::string& node,
                          const BindNeeds& needs);

}  // namespace muster::serve
