// Randomly damaged objects are decoded or reported, always in the same way.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "manifest/testing.hpp"

namespace muster {
namespace {

constexpr std::string_view kObjects[] = {
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","creationTimestamp":"2025-06-01T12:00:00Z",
 "labels":{"app":"x","runai-gpu-group":"g"},"annotations":{"gpu-fraction":"0.5","nvidia.com/mig-1g.5gb":"1",
 "kai.scheduler/numa-placement-observed":"[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"2\"}}]"},"ownerReferences":[{"kind":"Job","name":"j"}]},
 "spec":{"schedulingGates":[{}],"nodeSelector":{"a":"b"},"tolerations":[{"operator":"Exists","effect":"NoExecute"}],
 "containers":[{"resources":{"requests":{"cpu":"100m","memory":1.5},"limits":{"cpu":1}},"ports":[{"hostPort":1}],
 "env":[{"valueFrom":{"configMapKeyRef":{"name":"m"}}}],"volumeMounts":[{"name":"v"}]}],
 "volumes":[{"name":"v","configMap":{"name":"m"}}],"resourceClaims":[{"name":"c"}],"overhead":{"cpu":1},
 "affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
 {"matchExpressions":[{"key":"k","operator":"In","values":["x"]}]}]}}}},"status":{"phase":"Running"}})",
    R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"spec":{"taints":[{"key":"a","effect":"NoExecute"}]},
 "status":{"allocatable":{"cpu":"8","nvidia.com/gpu":"8"},"conditions":[{"type":"Ready","status":"True"}]}})",
    R"({"apiVersion":"scheduling.run.ai/v2","kind":"Queue","metadata":{"name":"q"},"spec":{"priority":5,
 "reclaimMinRuntime":"1h","resources":{"gpu":{"quota":-1,"limit":2.5}}}})",
    R"({"apiVersion":"scheduling.run.ai/v2alpha2","kind":"PodGroup","metadata":{"name":"g","annotations":
 {"kai.scheduler/last-start-timestamp":"2025-06-01T12:00:00Z"}},"spec":{"minMember":3,"preemptionDelay":"5m",
 "subGroups":[{"name":"a","minMember":1}]},"status":{"schedulingConditions":[{"transitionID":"1"}]}})",
    R"({"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"v"},"spec":{"capacity":{"storage":"1Gi"},
 "claimRef":{"name":"c"},"nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchFields":[]}]}}}})",
    R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"c"},"spec":{"devices":{"requests":[
 {"name":"r","exactly":{"deviceClassName":"gpu","allocationMode":"ExactCount","count":2,"adminAccess":true,
 "selectors":[{"cel":{"expression":"true"}}]}},{"name":"s","firstAvailable":[{"name":"t","deviceClassName":"gpu"}]}],
 "constraints":[{"requests":["r"],"matchAttribute":"a/b"}]}},"status":{"allocation":{"devices":{"results":[
 {"request":"r","driver":"d","pool":"p","device":"0"}]},"nodeSelector":{"nodeSelectorTerms":[{"matchFields":[]}]}},
 "reservedFor":[{"resource":"pods","uid":"u"}]}})",
    R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"s"},"spec":{"driver":"d",
 "pool":{"name":"p","generation":1,"resourceSliceCount":1},"nodeName":"n","devices":[{"name":"0","attributes":
 {"a":{"string":"x"},"b":{"int":3},"c":{"bool":true},"d":{"version":"1.2.3"}},"capacity":{"m":{"value":"4Gi"}}}]}})",
    R"({"apiVersion":"topology.node.k8s.io/v1alpha2","kind":"NodeResourceTopology","metadata":{"name":"n"},"attributes":[
 {"name":"topologyManagerPolicy","value":"restricted"}],"zones":[{"name":"node-0","type":"Node","resources":[
 {"name":"cpu","allocatable":"4","available":"2"}]}]})",
    R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j","labels":{"kai.scheduler/preemptibility":"preemptible"},
 "ownerReferences":[{"kind":"CronJob","name":"c","uid":"u"}]}})",
    R"({"apiVersion":"scheduling.run.ai/v1alpha2","kind":"BindRequest","metadata":{"name":"b"},"spec":{"podName":"a",
 "selectedNode":"n","resourceClaimAllocations":[{"name":"c","allocation":{"devices":{"results":[{"driver":"d"}]}}}],
 "predictedNUMAZones":[{"zone":"node-0","amount":{"cpu":"2"}}]}})",
    R"({"apiVersion":"kai.scheduler/v1alpha1","kind":"Topology","metadata":{"name":"t"},"spec":{"levels":[
 {"nodeLabel":"zone"},{"nodeLabel":"rack","alias":"r"}]}})",
    R"({"apiVersion":"scheduling.run.ai/v2alpha2","kind":"PodGroup","metadata":{"name":"h"},"spec":{"topologyConstraint":
 {"topology":"t","requiredTopologyLevel":"zone"},"subGroups":[{"name":"a","topologyConstraint":
 {"topology":"t","preferredTopologyLevel":"rack"}}]}})",
};

constexpr std::string_view kValues[] = {"null",  "true", "-1", "1e300", "\"\"",
                                        "\"x\"", "[]",   "{}", "[[]]",  "9999999999999999999"};

// Replaces random values of the text by others; sometimes cuts or damages the text itself.
std::string damaged(std::mt19937& random) {
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random()) % limit; };
  std::string text(kObjects[below(std::size(kObjects))]);
  for (std::size_t edits = 1 + below(3); edits > 0; --edits) {
    const std::size_t colon = text.find(':', below(text.size()));
    if (colon == std::string::npos) continue;
    const std::size_t end = std::min(text.find_first_of(",}]", colon), text.size());
    text.replace(colon + 1, end - colon - 1, kValues[below(std::size(kValues))]);
  }
  if (below(8) == 0) text.resize(below(text.size()));
  if (below(8) == 0) text.insert(below(text.size() + 1), 1, "{}[]\",:"[below(7)]);
  return text;
}

std::string outcome(const std::string& text, const char* name) {
  const Collected c = decoded(text, name);
  std::string all = c.findings_text();
  for (const PodObject& pod : c.all<PodObject>())
    all += fmt::format("{} {} {}\n", pod.meta.uid, text_of(pod.requests), pod.gpu.devices);
  for (const NodeObject& node : c.all<NodeObject>())
    all += fmt::format("{} {}\n", node.meta.uid, text_of(node.allocatable));
  for (const ResourceClaimObject& claim : c.all<ResourceClaimObject>())
    all += fmt::format("{} {} {}\n", claim.meta.uid, claim.requests.size(), claim.reserved_for.size());
  for (const ResourceSliceObject& slice : c.all<ResourceSliceObject>())
    all += fmt::format("{} {} {}\n", slice.meta.uid, slice.generation, slice.devices.size());
  for (const NodeTopologyObject& topology : c.all<NodeTopologyObject>())
    for (const NumaZoneSpec& zone : topology.zones) all += zone.name + " " + text_of(zone.allocatable) + "\n";
  return all + std::to_string(c.all<QueueObject>().size() + c.all<PodGroupObject>().size() +
                              c.all<VolumeObject>().size() + c.all<OwnerObject>().size() +
                              c.all<BindRequestObject>().size() + c.all<TopologyObject>().size());
}

TEST(DamagedObjects, AreDecodedOrReportedTheSameWayTwice) {
  std::mt19937 random(20250601);
  for (int round = 0; round < 4000; ++round) {
    const std::string text = damaged(random);
    const char* const name = round % 2 == 0 ? "f.yaml" : "f.json";
    ASSERT_EQ(outcome(text, name), outcome(text, name)) << text;
  }
}

}  // namespace
}  // namespace muster
