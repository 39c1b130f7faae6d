// The kinds of the API and the paths of their objects.
#pragma once

#include <string>
#include <string_view>

#include "manifest/kinds.hpp"

namespace muster::kube {

// Percent-encodes text for the query of a path.
std::string escaped(std::string_view text);
// Whether some object may have this name. Kinds differ in what they allow, but none allows characters that
// would change a path.
bool is_object_name(std::string_view name);
// Encodes a name as one segment of a path. A name that no object may have is encoded so that it matches none.
std::string path_part(std::string_view name);
// The root path of an apiVersion, such as "/api/v1" or "/apis/apps/v1".
std::string path_of_api(std::string_view api_version);

struct Resource {
  std::string group, version, kind, plural;
  bool is_namespaced = true;

  std::string api_version() const { return group.empty() ? version : group + "/" + version; }
  // The path of all objects: "/apis/apps/v1/deployments".
  std::string path() const { return root() + "/" + plural; }
  // The path of the objects in a namespace, or of all objects if the kind is not namespaced.
  std::string path(std::string_view ns) const;
  // The path of one object.
  std::string path(std::string_view ns, std::string_view name) const {
    return path(ns) + "/" + path_part(name);
  }

 private:
  std::string root() const { return path_of_api(api_version()); }
};

// The resource of a kind that the model uses.
Resource resource_of(const ObjectKind& kind);

// Resources that the code refers to by name.
namespace resources {

inline const Resource kPods = resource_of(kind_named(PodObject::kKind));
inline const Resource kNodes = resource_of(kind_named(NodeObject::kKind));
inline const Resource kVolumeClaims = resource_of(kind_named(VolumeClaimObject::kKind));
inline const Resource kVolumes = resource_of(kind_named(VolumeObject::kKind));
inline const Resource kQueues = resource_of(kind_named(QueueObject::kKind));
inline const Resource kPodGroups = resource_of(kind_named(PodGroupObject::kKind));
inline const Resource kBindRequests = resource_of(kind_named(BindRequestObject::kKind));
inline const Resource kPriorityClasses = resource_of(kind_named(PriorityClassObject::kKind));
inline const Resource kResourceClaims = resource_of(kind_named(ResourceClaimObject::kKind));
inline const Resource kEvents{"", "v1", "Event", "events"};
inline const Resource kLeases{"coordination.k8s.io", "v1", "Lease", "leases"};

}  // namespace resources

// The resource in the path of a request: "pods" for one or all pods, "pods/binding" for a subresource.
std::string resource_in(std::string_view path);

}  // namespace muster::kube
