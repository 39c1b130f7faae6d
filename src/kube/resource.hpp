// Kinds of the API and the paths at which their objects are found.
#pragma once

#include <string>
#include <string_view>

#include "manifest/kinds.hpp"

namespace muster::kube {

// For the query of a path: everything that is not plain as %XX.
std::string escaped(std::string_view text);
// Some object may have it: kinds differ in what they allow, but none allows what would change a path.
bool is_object_name(std::string_view name);
// A name as one part of a path. One that is no object's becomes one that no object can have.
std::string path_part(std::string_view name);
// Where the kinds of an apiVersion are listed: "/api/v1", "/apis/apps/v1".
std::string path_of_api(std::string_view api_version);

struct Resource {
  std::string group, version, kind, plural;
  bool is_namespaced = true;

  std::string api_version() const { return group.empty() ? version : group + "/" + version; }
  // Of all objects: "/apis/apps/v1/deployments".
  std::string path() const { return root() + "/" + plural; }
  // Of the objects of a namespace, where the kind has one.
  std::string path(std::string_view ns) const;
  // Of one object.
  std::string path(std::string_view ns, std::string_view name) const {
    return path(ns) + "/" + path_part(name);
  }

 private:
  std::string root() const { return path_of_api(api_version()); }
};

// Of a kind that the model takes.
Resource resource_of(const ObjectKind& kind);

// Those that are asked for by name.
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

// What the path of a request is about: "pods" of one or all pods, "pods/binding" of one's bindings.
std::string resource_in(std::string_view path);

}  // namespace muster::kube
