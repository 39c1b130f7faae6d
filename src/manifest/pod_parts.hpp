// The steps of decoding a pod, and what they hand to each other.
#pragma once

#include <string_view>
#include <vector>

#include "manifest/amounts.hpp"
#include "manifest/field.hpp"

namespace muster {

// What the annotations ask of GPUs. Values that do not count, with a warning, are left as they are here.
struct GpuAnnotations {
  double fraction = 0;           // gpu-fraction, in (0, 1]
  std::int64_t memory_mib = 0;   // gpu-memory
  std::int32_t devices = 1;      // gpu-fraction-num-devices
  std::string_view mig_profile;  // the smallest annotation key that is a MIG profile
  std::int64_t mig_instances = 0;
};

void read_gpu_annotation(const Field& annotation, GpuAnnotations& gpu);

// Sums over the containers, by the role that each has in the request of the pod.
struct ContainerSums {
  Amounts app, sidecars;
  Amounts limits;             // of all containers
  Amounts peak;               // the most that an ordinary init container needs, beside the sidecars before it
  bool is_guaranteed = true;  // every container limits cpu and memory, to what it requests
  bool has_containers = false;
};

// References that containers make and the pod's volumes resolve.
struct References {
  std::vector<std::string_view> mounted_volumes;
  std::vector<std::string_view> config_maps;  // of environments, not optional
};

enum class ContainerRole : std::uint8_t { kApp, kInit, kEphemeral };

struct PodParts {
  PodObject& pod;
  GpuAnnotations gpu;
  ContainerSums sums;
  References references;
  bool uses_host_network = false;
  Amounts overhead;
  Amounts pod_requests, pod_limits;  // spec.resources of the pod itself
  bool is_new = false;               // the API server did not see it yet
  std::string_view runtime_class;
  std::string_view shared_gpu_config_map;  // config maps that begin so are made later, by the binder
  bool has_shared_gpu_config_map = false;
};

void read_containers(const Field& list, ContainerRole role, PodParts& parts);
// spec.resources, which stands for the pod as a whole.
void read_pod_resources(const Field& resources, PodParts& parts);
// What the API server copies from the pod's RuntimeClass into a pod that it did not see yet.
void apply_runtime_class(const Field& spec, PodParts& parts);
// The QoS class that the API server would give.
bool is_guaranteed(const PodParts& parts);
// Tells where the API server would refuse the pod as a whole: limits of its namespace.
void check_pod_limits(const Field& spec, const PodParts& parts);
// The request of the pod from the sums, the overhead and the annotations.
void resolve_request(PodParts& parts);

void read_affinity(const Field& affinity, Constraints& constraints);
void read_tolerations(const Field& tolerations, Constraints& constraints);
void read_volumes(const Field& volumes, PodParts& parts);
void finish_config_maps(PodParts& parts);  // after the containers and volumes
void read_resource_claims(const Field& claims, const Field& statuses, Constraints& constraints);

}  // namespace muster
