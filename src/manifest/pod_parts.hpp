// The steps of decoding a pod, and the data they pass to each other.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "manifest/amounts.hpp"
#include "manifest/field.hpp"

namespace muster {

// A value that cannot be read, as written. The pod waits: without GPUs it could only fail.
using BadGpuRequests = std::vector<std::pair<std::string, std::string>>;
void add_bad_gpu_request(const Field& field, BadGpuRequests& bad);

// The GPU annotations. Values that are refused with a warning keep their defaults here.
struct GpuAnnotations {
  BadGpuRequests bad;
  double fraction = 0;           // gpu-fraction, in (0, 1]
  std::int64_t memory_mib = 0;   // gpu-memory
  std::int32_t devices = 1;      // gpu-fraction-num-devices
  std::string_view mig_profile;  // the alphabetically first annotation key that is a MIG profile
  std::int64_t mig_instances = 0;
};

void read_gpu_annotation(const Field& annotation, GpuAnnotations& gpu);

// Sums over the containers, separated by their role in the pod's request.
struct ContainerSums {
  Amounts app, sidecars;
  Amounts limits;             // of all containers
  Amounts peak;               // the largest need of an ordinary init container, with the sidecars before it
  bool is_guaranteed = true;  // every container requests exactly its limits of cpu and memory
  bool has_containers = false;
};

// References made by containers and resolved by the pod's volumes.
struct References {
  std::vector<std::string_view> mounted_volumes;
  std::vector<std::string_view> config_maps;  // of environments; optional ones excluded
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
  bool is_new = false;               // the API server has not seen it yet
  std::string_view runtime_class;
  std::string_view shared_gpu_config_map;  // prefix of config maps that the binder creates later
  bool has_shared_gpu_config_map = false;
};

void read_containers(const Field& list, ContainerRole role, PodParts& parts);
// Reads spec.resources, which applies to the whole pod.
void read_pod_resources(const Field& resources, PodParts& parts);
// Adds what the API server would copy from the RuntimeClass into a new pod.
void apply_runtime_class(const Field& spec, PodParts& parts);
// Whether the API server would set the QoS class to Guaranteed.
bool is_guaranteed(const PodParts& parts);
// Warns if the API server would reject the pod because of a LimitRange of its namespace.
void check_pod_limits(const Field& spec, const PodParts& parts);
// Computes the request of the pod from the sums, the overhead and the annotations.
void resolve_request(PodParts& parts);

void read_affinity(const Field& affinity, Constraints& constraints);
void read_tolerations(const Field& tolerations, Constraints& constraints);
void read_volumes(const Field& volumes, PodParts& parts);
void finish_config_maps(PodParts& parts);  // call after reading containers and volumes
void read_resource_claims(const Field& claims, const Field& statuses, Constraints& constraints);

}  // namespace muster
