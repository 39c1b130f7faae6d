// What the watches and our own writes tell, in the order in which the model shall learn it.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "manifest/manifest.hpp"
#include "model/cluster.hpp"

namespace muster::serve {

struct Gone {
  std::string kind, ns, name;
};
// A pod has been given to a group that its object does not name yet.
struct Membership {
  std::string uid, group, sub_group;
};
// A bind that we assumed will not happen.
struct BindEnded {
  std::string ns, name, uid;
};
// An eviction that we assumed will not happen.
struct EvictionEnded {
  std::string ns, name, uid;
};
// Annotations of a PodGroup that we assumed will not be written.
struct PatchEnded {
  std::string ns, name;
};

using Delta = std::variant<PodObject, NodeObject, QueueObject, PodGroupObject, PriorityClassObject,
                           TopologyObject, BindRequestObject, ConfigMapObject, VolumeClaimObject,
                           VolumeObject, StorageClassObject, StorageCapacityObject, CsiDriverObject,
                           ResourceClaimObject, ResourceSliceObject, DeviceClassObject, NodeTopologyObject,
                           OwnerObject, Gone, Membership, BindEnded, EvictionEnded, PatchEnded>;

// Takes objects from a decoder into a list of deltas.
class DeltaSink final : public ObjectSink {
 public:
  explicit DeltaSink(std::vector<Delta>& deltas) : deltas_(deltas) {}
  void pod(PodObject&& o) override { add(std::move(o)); }
  void node(NodeObject&& o) override { add(std::move(o)); }
  void queue(QueueObject&& o) override { add(std::move(o)); }
  void pod_group(PodGroupObject&& o) override { add(std::move(o)); }
  void priority_class(PriorityClassObject&& o) override { add(std::move(o)); }
  void topology(TopologyObject&& o) override { add(std::move(o)); }
  void bind_request(BindRequestObject&& o) override { add(std::move(o)); }
  void config_map(ConfigMapObject&& o) override { add(std::move(o)); }
  void volume_claim(VolumeClaimObject&& o) override { add(std::move(o)); }
  void volume(VolumeObject&& o) override { add(std::move(o)); }
  void storage_class(StorageClassObject&& o) override { add(std::move(o)); }
  void storage_capacity(StorageCapacityObject&& o) override { add(std::move(o)); }
  void csi_driver(CsiDriverObject&& o) override { add(std::move(o)); }
  void resource_claim(ResourceClaimObject&& o) override { add(std::move(o)); }
  void resource_slice(ResourceSliceObject&& o) override { add(std::move(o)); }
  void device_class(DeviceClassObject&& o) override { add(std::move(o)); }
  void node_topology(NodeTopologyObject&& o) override { add(std::move(o)); }
  void owner(OwnerObject&& o) override { add(std::move(o)); }

 private:
  template <class Object>
  void add(Object&& object) {
    deltas_.emplace_back(std::forward<Object>(object));
  }
  std::vector<Delta>& deltas_;
};

// Removes the object of that kind; other kinds are none of the model's.
void remove_from(Cluster& cluster, const Gone& gone);

}  // namespace muster::serve
