// What a pod needs besides a node, and what a bind of our own does about it before it goes out.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/device_objects.hpp"
#include "serve/write/requests.hpp"

namespace muster {
struct BindDecision;
}

namespace muster::serve {

struct BindNeeds {
  // ResourceClaims by name, and the devices that each of them gets.
  std::vector<std::pair<std::string, AllocationObject>> devices;
  // PersistentVolumeClaims that wait for their first consumer.
  std::vector<std::string> volumes;
  // In words, what only a binder can do; "": nothing.
  std::string only_by_binder;
  bool shares_gpu = false;
};
BindNeeds needs_of(const Cluster& cluster, const BindDecision& decision);

// Writes the devices into the claims and the node onto the volume claims, and waits for the volumes. What
// went wrong; "": nothing, the pod may be bound.
kube::Async<std::string> provide(WriteParts parts, const PodIdentity& pod, const std::string& node,
                                 const BindNeeds& needs);

// Takes back what provide() wrote for a pod that is not bound after all.
kube::Async<void> release(WriteParts parts, const PodIdentity& pod, const std::string& node,
                          const BindNeeds& needs);

}  // namespace muster::serve
