// Volumes, claims, classes and capacities from their manifests.
#include <gtest/gtest.h>

#include "manifest/testing.hpp"

namespace muster {
namespace {

TEST(Storage, IsRead) {
  const Collected c = decoded(R"(
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: c
  annotations: {volume.kubernetes.io/selected-node: n1}
  ownerReferences: [{kind: Pod, uid: u1}, {kind: Other, uid: u2}]
spec:
  storageClassName: ""
  volumeName: v
  accessModes: [ReadWriteOnce]
  volumeMode: Block
  resources: {requests: {storage: 1Gi}}
  selector: {matchLabels: {a: b}}
status: {phase: Bound}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: v}
spec:
  storageClassName: fast
  capacity: {storage: 2Gi}
  claimRef: {namespace: ns, name: c, uid: u}
  accessModes: [ReadOnlyMany]
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [a]}]}]}}
status: {phase: Available}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
provisioner: csi.example.com
volumeBindingMode: WaitForFirstConsumer
allowedTopologies: [{matchLabelExpressions: [{key: zone, values: [a, b]}]}]
---
apiVersion: storage.k8s.io/v1
kind: CSIStorageCapacity
metadata: {name: k}
storageClassName: fast
capacity: 10Gi
maximumVolumeSize: 4Gi
nodeTopology: {matchLabels: {zone: a}}
---
apiVersion: storage.k8s.io/v1
kind: CSIDriver
metadata: {name: csi.example.com}
spec: {storageCapacity: true}
---
apiVersion: storage.k8s.io/v1
kind: CSINode
metadata: {name: n1}
spec:
  drivers:
  - {name: csi.example.com, nodeID: n1, topologyKeys: [zone], allocatable: {count: 25}}
  - {name: without-limit, nodeID: n1}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: of-driver, deletionTimestamp: "2025-06-01T12:00:00Z"}
spec: {csi: {driver: csi.example.com, volumeHandle: vol-1}}
status: {phase: Available}
)");
  EXPECT_EQ(c.findings_text(), "");
  const VolumeClaimObject& claim = c.all<VolumeClaimObject>().at(0);
  EXPECT_EQ(claim.storage_class, "");
  EXPECT_EQ(claim.volume, "v");
  EXPECT_TRUE(claim.bound);
  EXPECT_EQ(claim.bytes, 1 << 30);
  EXPECT_EQ(claim.access_modes, std::vector<std::string>{"ReadWriteOnce"});
  EXPECT_EQ(claim.volume_mode, "Block");
  EXPECT_EQ(claim.selected_node, "n1");
  EXPECT_EQ(claim.owner_pod_uids, std::vector<std::string>{"u1"});
  EXPECT_EQ(claim.selector.requirements.size(), 1u);
  const VolumeObject& volume = c.all<VolumeObject>().at(0);
  EXPECT_EQ(volume.storage_class, "fast");
  EXPECT_EQ(volume.bytes, std::int64_t{2} << 30);
  EXPECT_EQ(volume.claim_ns + volume.claim_name + volume.claim_uid, "nscu");
  EXPECT_EQ(volume.phase, "Available");
  EXPECT_TRUE(volume.has_node_affinity);
  EXPECT_EQ(volume.node_affinity.size(), 1u);
  EXPECT_TRUE(c.all<StorageClassObject>().at(0).wait_for_first_consumer);
  EXPECT_EQ(c.all<StorageClassObject>().at(0).allowed_topologies.at(0).labels.at(0).values,
            (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(c.all<StorageCapacityObject>().at(0).capacity, std::int64_t{10} << 30);
  EXPECT_TRUE(c.all<StorageCapacityObject>().at(0).node_topology.present);
  EXPECT_TRUE(c.all<CsiDriverObject>().at(0).storage_capacity);
  const CsiNodeObject& node = c.all<CsiNodeObject>().at(0);
  ASSERT_EQ(node.drivers.size(), 1u);
  EXPECT_EQ(node.drivers[0].name, "csi.example.com");
  EXPECT_EQ(node.drivers[0].most_volumes, 25);
  EXPECT_EQ(c.all<VolumeObject>().at(1).csi_driver, "csi.example.com");
  EXPECT_EQ(c.all<VolumeObject>().at(1).csi_handle, "vol-1");
  EXPECT_EQ(c.all<VolumeObject>().at(1).phase, "Terminating");
}

}  // namespace
}  // namespace muster
