// Resources that pods ask for as amounts and get as devices: which class of devices stands for them, and the
// claim that such a pod comes to.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/kept_objects.hpp"
#include "model/objects.hpp"

namespace muster {

// The claim's name inside the pod, where others have theirs from the spec.
inline constexpr std::string_view kContainerClaim = "extended-resources";

// A resource for which devices of a class stand.
struct BackedResource {
  std::string name;         // as pods write it
  std::string amount_name;  // as the model has it
  std::string device_class;
  bool operator==(const BackedResource&) const = default;
};

// A container gets the devices of a request for a resource.
struct RequestUse {
  std::size_t container = 0;  // of initContainers and containers, in order
  std::string resource, request;
};

struct ContainerDevices {
  std::vector<DeviceRequest> requests;
  std::vector<RequestUse> uses;
};

// The class that names the resource, of several the newest, then the first by name; or the one that the name
// implies: "deviceclass.resource.kubernetes.io/" and its own. Null: none.
const DeviceClassObject* class_behind(const KeptObjects& kept, std::string_view resource);

// Containers that run at the same time get devices of their own; init containers use those of later ones,
// and beyond that as many as the one of them that wants most.
ContainerDevices devices_for(std::span<const ContainerRequest> containers,
                             std::span<const BackedResource> resources);

// Of the claim that stands for what the pod's containers ask for. Always the same for one pod.
std::string container_claim_name(std::string_view pod, std::string_view uid);

}  // namespace muster
