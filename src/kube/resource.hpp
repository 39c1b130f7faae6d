// Kinds of the API and the paths at which their objects are found.
#pragma once

#include <string>
#include <string_view>

#include "manifest/kinds.hpp"

namespace muster::kube {

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
    return path(ns) + "/" + std::string(name);
  }

 private:
  std::string root() const { return (group.empty() ? "/api/" : "/apis/" + group + "/") + version; }
};

// Of a kind that the model takes.
Resource resource_of(const ObjectKind& kind);

// Those that are asked for by name.
namespace resources {

inline const Resource kPods = resource_of(kind_named(PodObject::kKind));
inline const Resource kNodes = resource_of(kind_named(NodeObject::kKind));
inline const Resource kVolumeClaims = resource_of(kind_named(VolumeClaimObject::kKind));
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
