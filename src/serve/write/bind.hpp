// A bind decision with everything needed to write it, and its requests to the API server.
#pragma once

#include <string>
#include <vector>

#include "serve/write/bind_needs.hpp"

namespace muster::serve {

class Assumptions;

// Annotations for the environment of a pod with a share of GPUs (docs/kubernetes.md): the devices, and the
// portion of each.
inline constexpr const char* kGpuDevices = "muster.dev/gpu-devices";
inline constexpr const char* kGpuPortion = "muster.dev/gpu-portion";

struct Bind {
  PodIdentity pod;
  std::string node, sub_group;
  std::string queue;  // that the pod is charged to
  std::vector<std::string> gpu_groups;
  std::vector<std::string> gpu_devices = {};  // of the groups, once they are reserved
  std::vector<ClaimAllocation> claims;
  std::string received_type;
  std::string portion;
  int devices = 0;
  bool group_is_assumed = false;  // the pod does not name its PodGroup yet
  std::size_t pod_set = 0;        // index in its job
  int spare = 0;                  // number of pods of the set above its minimum
  BindNeeds needs;
};

Bind bind_of(const Cluster& cluster, const BindDecision& decision, const Assumptions& assumptions);

// The node pool as a label; the value is "" without a node pool.
struct PoolLabel {
  std::string key, value;
};

// POST pods/binding: the API server merges the annotations and labels of the binding into the pod.
kube::ApiRequest binding_of(const Bind& bind, const PoolLabel& pool);
// A BindRequest, which KAI's binder carries out.
kube::ApiRequest bind_request_of(const Bind& bind, const PoolLabel& pool);

}  // namespace muster::serve
