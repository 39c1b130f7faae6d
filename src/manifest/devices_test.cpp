// Claims, slices, classes, NUMA zones and owners from their manifests.
#include <gtest/gtest.h>

#include "manifest/testing.hpp"

namespace muster {
namespace {

TEST(Devices, ClaimsSlicesAndClassesAreRead) {
  const Collected c = decoded(R"(
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c, namespace: ns}
spec:
  devices:
    requests:
    - name: two
      exactly:
        deviceClassName: gpu.example.com
        allocationMode: ExactCount
        count: 2
        selectors: [{cel: {expression: device.driver == "x"}}]
    - name: any
      firstAvailable:
      - {name: big, deviceClassName: big, allocationMode: All}
      - {name: small, deviceClassName: small, adminAccess: true}
    constraints: [{requests: [two], matchAttribute: x/numa}]
status:
  allocation:
    devices: {results: [{request: two, driver: x, pool: n1, device: "0"}]}
    nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [n1]}]}]}
  reservedFor: [{resource: pods, name: p, uid: u}, {resource: others, name: q, uid: v}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: x
  pool: {name: n1, generation: 3, resourceSliceCount: 2}
  nodeName: n1
  devices:
  - name: "0"
    attributes: {model: {string: A}, index: {int: 7}, ready: {bool: true}, y/driver: {version: 1.2.3}}
    capacity: {memory: {value: 40Gi}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu.example.com}
spec: {selectors: [{cel: {expression: "true"}}], extendedResourceName: example.com/gpu}
)");
  EXPECT_EQ(c.findings_text(), "");
  const ResourceClaimObject& claim = c.all<ResourceClaimObject>().at(0);
  ASSERT_EQ(claim.requests.size(), 2u);
  EXPECT_EQ(claim.requests[0].device_class, "gpu.example.com");
  EXPECT_EQ(claim.requests[0].count, 2);
  EXPECT_EQ(claim.requests[0].selectors, std::vector<std::string>{"device.driver == \"x\""});
  ASSERT_EQ(claim.requests[1].alternatives.size(), 2u);
  EXPECT_TRUE(claim.requests[1].alternatives[0].all);
  EXPECT_TRUE(claim.requests[1].alternatives[1].admin_access);
  EXPECT_EQ(claim.constraints.at(0).match_attribute, "x/numa");
  EXPECT_EQ(claim.allocation->devices.at(0), (AllocatedDevice{"two", "x", "n1", "0", false}));
  EXPECT_TRUE(claim.allocation->has_selector);
  EXPECT_EQ(claim.reserved_for, std::vector<std::string>{"u"});
  const ResourceSliceObject& slice = c.all<ResourceSliceObject>().at(0);
  EXPECT_EQ(slice.generation, 3);
  EXPECT_EQ(slice.slice_count, 2);
  EXPECT_EQ(slice.reach.node, "n1");
  const DeviceSpec& device = slice.devices.at(0);
  ASSERT_EQ(device.attributes.size(), 4u);
  EXPECT_EQ(device.attributes[0].text, "A");
  EXPECT_EQ(device.attributes[1].number, 7);
  EXPECT_EQ(device.attributes[3].type, DeviceAttribute::Type::kVersion);
  EXPECT_EQ(device.capacity.at(0).thousandths, std::int64_t{40} * (1 << 30) * 1000);
  EXPECT_EQ(c.all<DeviceClassObject>().at(0).selectors, std::vector<std::string>{"true"});
  EXPECT_EQ(c.all<DeviceClassObject>().at(0).extended_resource, "example.com/gpu");
}

TEST(Devices, RulesThatTaintDevicesAreRead) {
  const auto rule = [](const std::string& spec) {
    return "apiVersion: resource.k8s.io/v1alpha3\nkind: DeviceTaintRule\nmetadata: {name: r}\nspec: " + spec +
           "\n";
  };
  const Collected c =
      decoded(rule("{deviceSelector: {driver: x, pool: n1, device: d}, taint: {key: k, value: v, effect: "
                   "NoExecute}}") +
              "---\n" + rule("{deviceSelector: {}, taint: {key: k, effect: None}}") + "---\n" +
              rule("{taint: {key: k, effect: NoSchedule}}") + "---\n" +
              rule("{deviceSelector: {deviceClassName: c}, taint: {key: k, effect: NoSchedule}}"));
  const auto& rules = c.all<DeviceTaintRuleObject>();
  ASSERT_EQ(rules.size(), 4u);
  EXPECT_TRUE(rules[0].selects);
  EXPECT_EQ(rules[0].driver + " " + rules[0].pool + " " + rules[0].device, "x n1 d");
  EXPECT_EQ(rules[0].taints, (std::vector<Taint>{{"k", "v", TaintEffect::kNoExecute}}));
  EXPECT_TRUE(rules[1].selects);
  EXPECT_TRUE(rules[1].taints.empty());
  EXPECT_FALSE(rules[2].selects);
  EXPECT_FALSE(rules[3].selects);
  EXPECT_EQ(c.findings_text(),
            "W f.yaml:19: DeviceTaintRule r: spec.deviceSelector.deviceClassName: is not supported; the rule "
            "is ignored\n");
}

TEST(Devices, OlderVersionsOfTheApiAreRead) {
  const Collected c = decoded(R"(
apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
metadata: {name: c}
spec: {devices: {requests: [{name: r, deviceClassName: gpu, count: 3}]}}
---
apiVersion: resource.k8s.io/v1beta1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: x
  pool: {name: p}
  allNodes: true
  devices: [{name: d, basic: {attributes: {a: {int: 1}}, capacity: {memory: 1k}}}]
)");
  EXPECT_EQ(c.findings_text(), "");
  EXPECT_EQ(c.all<ResourceClaimObject>().at(0).requests.at(0).count, 3);
  EXPECT_TRUE(c.all<ResourceSliceObject>().at(0).reach.all);
  EXPECT_EQ(c.all<ResourceSliceObject>().at(0).devices.at(0).attributes.size(), 1u);
  EXPECT_EQ(c.all<ResourceSliceObject>().at(0).devices.at(0).capacity.at(0).thousandths, 1'000'000);
}

TEST(Devices, MistakesAreReportedWithTheirLocation) {
  const Collected c = decoded(R"(apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: a}
spec:
  devices:
    requests:
    - {name: r, exactly: {count: 2}}
    - {name: s, exactly: {deviceClassName: gpu, allocationMode: Some, count: 0}}
    - {name: t, exactly: {deviceClassName: gpu, selectors: [{other: x}]}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: b}
spec: {driver: x, pool: {name: p}, devices: [{attributes: {y: {}}, capacity: {m: {value: big}}}]}
)");
  EXPECT_EQ(
      c.findings_text(),
      "E f.yaml:7: ResourceClaim default/a: spec.devices.requests[0].exactly.deviceClassName: is missing\n"
      "E f.yaml:8: ResourceClaim default/a: spec.devices.requests[1].exactly.allocationMode: must be "
      "ExactCount or All\n"
      "E f.yaml:8: ResourceClaim default/a: spec.devices.requests[1].exactly.count: must be at least 1\n"
      "E f.yaml:9: ResourceClaim default/a: spec.devices.requests[2].exactly.selectors[0].cel.expression: is "
      "missing; only CEL selectors are supported\n"
      "E f.yaml:14: ResourceSlice b: spec.devices[0].name: is missing\n"
      "E f.yaml:14: ResourceSlice b: spec.devices[0].capacity.m.value: \"big\" is not a quantity\n"
      "W f.yaml:14: ResourceSlice b: spec.devices[0].attributes.y: has none of string, int, bool, version; "
      "ignored\n");
  EXPECT_TRUE(c.all<ResourceClaimObject>().empty());
  EXPECT_TRUE(c.all<ResourceSliceObject>().empty());
}

TEST(Zones, PolicyScopeAndAmountsAreRead) {
  const Collected c = decoded(R"(
apiVersion: topology.node.k8s.io/v1alpha2
kind: NodeResourceTopology
metadata: {name: n}
attributes: [{name: topologyManagerPolicy, value: restricted}, {name: topologyManagerScope, value: pod}]
zones:
- {name: node-0, type: Node, resources: [{name: cpu, capacity: "4", allocatable: "4", available: 2500m}]}
- {name: socket-0, type: Socket}
---
apiVersion: topology.node.k8s.io/v1alpha1
kind: NodeResourceTopology
metadata: {name: old}
topologyPolicies: [SingleNUMANodeContainerLevel]
)");
  EXPECT_EQ(c.findings_text(), "");
  const NodeTopologyObject& topology = c.all<NodeTopologyObject>().at(0);
  EXPECT_EQ(topology.policy, AlignmentPolicy::kRestricted);
  EXPECT_TRUE(topology.by_pod);
  ASSERT_EQ(topology.zones.size(), 1u);
  EXPECT_EQ(text_of(topology.zones[0].allocatable), "cpu 4000");
  EXPECT_EQ(text_of(topology.zones[0].available), "cpu 2500");
  EXPECT_EQ(c.all<NodeTopologyObject>().at(1).policy, AlignmentPolicy::kSingleZone);
  EXPECT_FALSE(c.all<NodeTopologyObject>().at(1).by_pod);
}

TEST(Zones, RecordsOfPodsAndBindRequestsAreRead) {
  const Collected c = decoded(R"(
apiVersion: v1
kind: Pod
metadata:
  name: a
  annotations:
    kai.scheduler/numa-placement-observed: '[{"zone": "node-1", "amount": {"cpu": "2", "nvidia.com/gpu": "1"}}]'
    kai.scheduler/numa-placement-predicted: 'somewhere'
---
apiVersion: scheduling.run.ai/v1alpha2
kind: BindRequest
metadata: {name: b}
spec:
  podName: a
  selectedNode: n
  predictedNUMAZones: [{zone: node-0, amount: {cpu: "1"}}]
  resourceClaimAllocations:
  - name: c
    allocation: {devices: {results: [{request: r, driver: x, pool: p, device: d}]}}
)");
  EXPECT_EQ(c.findings_text(),
            "W f.yaml:8: Pod default/a: metadata.annotations.kai.scheduler/numa-placement-predicted: is not "
            "a JSON list of zones; ignored\n");
  ASSERT_EQ(c.all<PodObject>().at(0).numa_observed.size(), 1u);
  EXPECT_EQ(c.all<PodObject>()[0].numa_observed[0].zone, "node-1");
  EXPECT_EQ(text_of(c.all<PodObject>()[0].numa_observed[0].amounts), "cpu 2000, nvidia.com/gpu 1000");
  EXPECT_EQ(c.all<BindRequestObject>().at(0).zones.at(0).zone, "node-0");
  EXPECT_EQ(c.all<BindRequestObject>().at(0).claims.at(0).claim, "c");
  EXPECT_EQ(c.all<BindRequestObject>().at(0).claims.at(0).allocation.devices.at(0).device, "d");
}

TEST(Owners, AreObjectsOfAnyKind) {
  const Collected c = decoded(R"(
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, uid: u, labels: {kai.scheduler/preemptibility: preemptible}}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web-1, ownerReferences: [{kind: Deployment, name: web, uid: w}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
)");
  ASSERT_EQ(c.all<OwnerObject>().size(), 3u);
  EXPECT_EQ(c.all<OwnerObject>()[0].kind, "PyTorchJob");
  EXPECT_EQ(c.all<OwnerObject>()[0].preemptibility, "preemptible");
  EXPECT_TRUE(c.all<OwnerObject>()[0].has_uid);
  EXPECT_EQ(c.all<OwnerObject>()[1].owner, (OwnerReference{"Deployment", "web", "w"}));
  EXPECT_EQ(c.findings.unknown_kinds, (std::map<std::string, std::int64_t>{{"apps/v1 Deployment", 1}}));
}

}  // namespace
}  // namespace muster
