// Kinds of the API and the paths at which their objects are found.
#pragma once

#include <string>
#include <string_view>

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

namespace resources {

inline const Resource kPods{"", "v1", "Pod", "pods"};
inline const Resource kNodes{"", "v1", "Node", "nodes", false};
inline const Resource kEvents{"", "v1", "Event", "events"};
inline const Resource kConfigMaps{"", "v1", "ConfigMap", "configmaps"};
inline const Resource kVolumeClaims{"", "v1", "PersistentVolumeClaim", "persistentvolumeclaims"};
inline const Resource kVolumes{"", "v1", "PersistentVolume", "persistentvolumes", false};
inline const Resource kQueues{"scheduling.run.ai", "v2", "Queue", "queues", false};
inline const Resource kPodGroups{"scheduling.run.ai", "v2alpha2", "PodGroup", "podgroups"};
inline const Resource kBindRequests{"scheduling.run.ai", "v1alpha2", "BindRequest", "bindrequests"};
inline const Resource kTopologies{"kai.scheduler", "v1alpha1", "Topology", "topologies", false};
inline const Resource kPriorityClasses{"scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", false};
inline const Resource kStorageClasses{"storage.k8s.io", "v1", "StorageClass", "storageclasses", false};
inline const Resource kStorageCapacities{"storage.k8s.io", "v1", "CSIStorageCapacity",
                                         "csistoragecapacities"};
inline const Resource kCsiDrivers{"storage.k8s.io", "v1", "CSIDriver", "csidrivers", false};
inline const Resource kResourceClaims{"resource.k8s.io", "v1", "ResourceClaim", "resourceclaims"};
inline const Resource kResourceSlices{"resource.k8s.io", "v1", "ResourceSlice", "resourceslices", false};
inline const Resource kDeviceClasses{"resource.k8s.io", "v1", "DeviceClass", "deviceclasses", false};
inline const Resource kNodeTopologies{"topology.node.k8s.io", "v1alpha2", "NodeResourceTopology",
                                      "noderesourcetopologies", false};
inline const Resource kLeases{"coordination.k8s.io", "v1", "Lease", "leases"};

}  // namespace resources

// What the path of a request is about: "pods" of one or all pods, "pods/binding" of one's bindings.
std::string resource_in(std::string_view path);

}  // namespace muster::kube
