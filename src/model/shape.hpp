// The requests and constraints of a task. Most tasks look alike, so each distinct shape is stored once.
#pragma once

#include "model/ids.hpp"
#include "model/objects.hpp"
#include "model/resources.hpp"

namespace muster {

struct Shape {
  Request request;  // needed from a node, including the pod slot, without shared GPUs
  GpuRequest gpu;
  Constraints constraints;
  NamespaceId ns;                 // valid only if a constraint depends on the namespace
  Charge charge;                  // what a queue is charged before a node is known; GPU memory counts as 0
  std::int64_t gpu_memory = 0;    // devices × MiB of a GPU-memory request
  ShapeId base;                   // the same without the requests of its claims; not valid: this shape
  std::int64_t claimed_gpus = 0;  // GPUs that its device claims ask for; included in `request` and `charge`
  std::vector<ClaimId> claims;    // for constraints.resource_claims, in order; not valid: not created yet
  bool guaranteed = false;        // QoS class
  std::vector<ContainerRequest> containers;  // as in PodObject

  bool is_shared() const {
    return gpu.type == GpuRequestType::kFraction || gpu.type == GpuRequestType::kGpuMemory;
  }
  bool is_mig() const { return gpu.type == GpuRequestType::kMig; }
  std::int64_t whole_gpus() const { return amount_of(request, kGpu); }
  // Whole devices, or the sum of the shares. GPU memory counts only once a node is known.
  std::int64_t gpu_units() const {
    return gpu.type == GpuRequestType::kFraction ? charge.units[index(Accounted::kGpus)] : whole_gpus();
  }
  bool is_cpu_only() const { return whole_gpus() == 0 && !is_shared() && !is_mig(); }
};

}  // namespace muster
