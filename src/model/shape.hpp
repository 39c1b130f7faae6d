// What a task asks for and where it may go. Most tasks look alike, so each distinct shape exists once.
#pragma once

#include "model/ids.hpp"
#include "model/objects.hpp"
#include "model/resources.hpp"

namespace muster {

struct Shape {
  Request request;  // what a node must have, the pod slot included; shared GPUs are not in it
  GpuRequest gpu;
  Constraints constraints;
  NamespaceId ns;                 // valid only where a constraint depends on the namespace
  Charge charge;                  // what a queue is charged before a node is known; GPU memory counts 0 here
  std::int64_t gpu_memory = 0;    // devices × MiB of a GPU-memory request
  ShapeId base;                   // the same without what its claims ask for; not valid: itself
  std::int64_t claimed_gpus = 0;  // GPUs that its device claims ask for, in `request` and `charge` too
  std::vector<ClaimId> claims;    // of constraints.resource_claims, in order; not valid: not made yet
  bool guaranteed = false;        // QoS class
  std::vector<ContainerRequest> containers;  // as PodObject has them

  bool is_shared() const {
    return gpu.type == GpuRequestType::kFraction || gpu.type == GpuRequestType::kGpuMemory;
  }
  bool is_mig() const { return gpu.type == GpuRequestType::kMig; }
  std::int64_t whole_gpus() const { return amount_of(request, kGpu); }
  // Whole devices or the sum of the shares; GPU memory is no amount of GPUs before a node is known.
  std::int64_t gpu_units() const {
    return gpu.type == GpuRequestType::kFraction ? charge.units[index(Accounted::kGpus)] : whole_gpus();
  }
  bool is_cpu_only() const { return whole_gpus() == 0 && !is_shared() && !is_mig(); }
};

}  // namespace muster
