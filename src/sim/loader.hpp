// Puts decoded objects into a cluster.
#pragma once

#include "manifest/manifest.hpp"
#include "model/cluster.hpp"

namespace muster {

class Loader final : public ObjectSink {
 public:
  explicit Loader(Cluster& cluster) : cluster_(cluster) {}
  void pod(PodObject&& o) override { cluster_.apply(std::move(o)); }
  void node(NodeObject&& o) override { cluster_.apply(std::move(o)); }
  void queue(QueueObject&& o) override { cluster_.apply(std::move(o)); }
  void pod_group(PodGroupObject&& o) override { cluster_.apply(std::move(o)); }
  void priority_class(PriorityClassObject&& o) override { cluster_.apply(std::move(o)); }
  void topology(TopologyObject&& o) override { cluster_.apply(std::move(o)); }
  void bind_request(BindRequestObject&& o) override { cluster_.apply(std::move(o)); }
  void config_map(ConfigMapObject&& o) override { cluster_.apply(std::move(o)); }
  void volume_claim(VolumeClaimObject&& o) override { cluster_.apply(std::move(o)); }
  void volume(VolumeObject&& o) override { cluster_.apply(std::move(o)); }
  void storage_class(StorageClassObject&& o) override { cluster_.apply(std::move(o)); }
  void storage_capacity(StorageCapacityObject&& o) override { cluster_.apply(std::move(o)); }
  void csi_driver(CsiDriverObject&& o) override { cluster_.apply(std::move(o)); }
  void resource_claim(ResourceClaimObject&& o) override { cluster_.apply(std::move(o)); }
  void resource_slice(ResourceSliceObject&& o) override { cluster_.apply(std::move(o)); }
  void device_class(DeviceClassObject&& o) override { cluster_.apply(std::move(o)); }
  void node_topology(NodeTopologyObject&& o) override { cluster_.apply(std::move(o)); }
  void owner(OwnerObject&& o) override { cluster_.apply(std::move(o)); }

 private:
  Cluster& cluster_;
};

}  // namespace muster
