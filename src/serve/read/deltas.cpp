// Which function of the model removes an object of which kind.
#include "serve/read/deltas.hpp"

#include <array>

namespace muster::serve {
namespace {

struct Removal {
  std::string_view kind;
  void (*remove)(Cluster&, const Gone&);
};

constexpr std::array<Removal, 17> kRemovals{{
    {"Pod", [](Cluster& c, const Gone& g) { c.remove_pod(g.ns, g.name); }},
    {"PodGroup", [](Cluster& c, const Gone& g) { c.remove_pod_group(g.ns, g.name); }},
    {"Node", [](Cluster& c, const Gone& g) { c.remove_node(g.name); }},
    {"Queue", [](Cluster& c, const Gone& g) { c.remove_queue(g.name); }},
    {"BindRequest", [](Cluster& c, const Gone& g) { c.remove_bind_request(g.ns, g.name); }},
    {"PriorityClass", [](Cluster& c, const Gone& g) { c.remove_priority_class(g.name); }},
    {"Topology", [](Cluster& c, const Gone& g) { c.remove_topology(g.name); }},
    {"ConfigMap", [](Cluster& c, const Gone& g) { c.remove_config_map(g.ns, g.name); }},
    {"PersistentVolumeClaim", [](Cluster& c, const Gone& g) { c.remove_volume_claim(g.ns, g.name); }},
    {"PersistentVolume", [](Cluster& c, const Gone& g) { c.remove_volume(g.name); }},
    {"StorageClass", [](Cluster& c, const Gone& g) { c.remove_storage_class(g.name); }},
    {"CSIStorageCapacity", [](Cluster& c, const Gone& g) { c.remove_storage_capacity(g.ns, g.name); }},
    {"CSIDriver", [](Cluster& c, const Gone& g) { c.remove_csi_driver(g.name); }},
    {"ResourceClaim", [](Cluster& c, const Gone& g) { c.remove_resource_claim(g.ns, g.name); }},
    {"ResourceSlice", [](Cluster& c, const Gone& g) { c.remove_resource_slice(g.name); }},
    {"DeviceClass", [](Cluster& c, const Gone& g) { c.remove_device_class(g.name); }},
    {"NodeResourceTopology", [](Cluster& c, const Gone& g) { c.remove_node_topology(g.name); }},
}};

}  // namespace

void remove_from(Cluster& cluster, const Gone& gone) {
  for (const Removal& removal : kRemovals)
    if (removal.kind == gone.kind) removal.remove(cluster, gone);
}

}  // namespace muster::serve
