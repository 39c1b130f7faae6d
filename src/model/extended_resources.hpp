// Resources that pods request as amounts and receive as devices: which device class backs them, and the claim
// that such a pod gets.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/kept_objects.hpp"
#include "model/objects.hpp"

namespace muster {

// Name of this claim inside the pod; other claims have theirs from the spec.
inline constexpr std::string_view kContainerClaim = "extended-resources";

// A resource that is served by devices of a class.
struct BackedResource {
  std::string name;         // as pods write it
  std::string amount_name;  // as the model names it
  std::string device_class;
  bool operator==(const BackedResource&) const = default;
};

// A container gets the devices of a request for a resource.
struct RequestUse {
  std::size_t container = 0;  // index over initContainers, then containers
  std::string resource, request;
};

struct ContainerDevices {
  std::vector<DeviceRequest> requests;
  std::vector<RequestUse> uses;
};

// The class that names the resource: the newest one, then the first by name; else the class that the resource
// name implies ("deviceclass.resource.kubernetes.io/" and the class name). Null if there is none.
const DeviceClassObject* class_behind(const KeptObjects& kept, std::string_view resource);

// Containers that run in parallel get separate devices. Init containers reuse those of later containers; if
// they need more, as many are added as the largest of them needs.
ContainerDevices devices_for(std::span<const ContainerRequest> containers,
                             std::span<const BackedResource> resources);

// Name of the claim for the resources that the pod's containers request. Stable for one pod.
std::string container_claim_name(std::string_view pod, std::string_view uid);

}  // namespace muster
