// A bind as it leaves the model, and how it looks to the API server.
#pragma once

#include <string>
#include <vector>

#include "serve/write/bind_needs.hpp"

namespace muster::serve {

class Assumptions;

// What a pod with a share of GPUs is told, for its environment (docs/kubernetes.md): the devices, and its
// part of each.
inline constexpr const char* kGpuDevices = "muster.dev/gpu-devices";
inline constexpr const char* kGpuPortion = "muster.dev/gpu-portion";

struct Bind {
  PodIdentity pod;
  std::string node, sub_group;
  std::string queue;  // that it is charged to
  std::vector<std::string> gpu_groups;
  std::vector<std::string> gpu_devices = {};  // of the groups, once they are reserved
  std::vector<ClaimAllocation> claims;
  std::string received_type;
  std::string portion;
  int devices = 0;
  bool group_is_assumed = false;  // the pod does not name its PodGroup yet
  std::size_t pod_set = 0;        // of its job
  int spare = 0;                  // so many pods of the set need not start
  BindNeeds needs;
};

Bind bind_of(const Cluster& cluster, const BindDecision& decision, const Assumptions& assumptions);

// The node pool as a label; the value "" where there is none.
struct PoolLabel {
  std::string key, value;
};

// POST pods/binding: the API server merges the annotations and labels of the binding into the pod.
kube::ApiRequest binding_of(const Bind& bind, const PoolLabel& pool);
// A BindRequest, which KAI's binder carries out.
kube::ApiRequest bind_request_of(const Bind& bind, const PoolLabel& pool);

}  // namespace muster::serve
