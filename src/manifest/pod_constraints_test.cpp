// Constraints on the nodes of a pod: selectors, affinity, tolerations, ports, volumes, claims.
#include <gtest/gtest.h>

#include "manifest/testing.hpp"

namespace muster {
namespace {

Constraints constraints_of(std::string_view spec, std::string_view metadata = "") {
  Collected c = decoded("apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n" + std::string(metadata) +
                        "spec:\n" + std::string(spec));
  EXPECT_EQ(c.findings_text(), "");
  EXPECT_EQ(c.all<PodObject>().size(), 1u);
  return c.all<PodObject>().empty() ? Constraints{} : c.all<PodObject>()[0].constraints;
}

TEST(PodConstraints, NodeSelectorAndAffinity) {
  const Constraints c = constraints_of(R"(
  nodeSelector: {b: "2", a: "1"}
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions:
          - {key: zone, operator: In, values: [x, y]}
          - {key: size, operator: Gt, values: ["3"]}
          matchFields:
          - {key: metadata.name, operator: NotIn, values: [n1]}
        - {}
)");
  EXPECT_EQ(c.node_selector, (Labels{{"a", "1"}, {"b", "2"}}));
  EXPECT_TRUE(c.has_required_affinity);
  const NodeTerm first{.labels = {{"zone", Operator::kIn, {"x", "y"}}, {"size", Operator::kGt, {"3"}}},
                       .fields = {{"metadata.name", Operator::kNotIn, {"n1"}}}};
  EXPECT_EQ(c.required_affinity, (std::vector{first, NodeTerm{}}));
}

TEST(PodConstraints, PodAffinity) {
  const Constraints c = constraints_of(R"(
  affinity:
    podAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - labelSelector: {matchLabels: {b: "2", a: "1"}, matchExpressions: [{key: c, operator: Exists}]}
        topologyKey: zone
        namespaces: [x]
        namespaceSelector: {}
    podAntiAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 10
        podAffinityTerm: {topologyKey: host}
)");
  const PodAffinityTerm required{.selector = {.present = true,
                                              .requirements = {{"a", Operator::kIn, {"1"}},
                                                               {"b", Operator::kIn, {"2"}},
                                                               {"c", Operator::kExists, {}}}},
                                 .topology_key = "zone",
                                 .namespaces = {"x"},
                                 .namespace_selector = {.present = true}};
  EXPECT_EQ(c.pod_affinity, std::vector{required});
  EXPECT_EQ(c.preferred_anti_affinity, (std::vector{PodAffinityTerm{.topology_key = "host", .weight = 10}}));
  EXPECT_TRUE(c.pod_anti_affinity.empty() && c.preferred_affinity.empty());
}

TEST(PodConstraints, Tolerations) {
  const Constraints c = constraints_of(R"(
  tolerations:
  - {key: a, value: b, effect: NoSchedule}
  - {key: a, operator: Equal, value: c, effect: NoExecute, tolerationSeconds: 3}
  - {operator: Exists}
)");
  EXPECT_EQ(c.tolerations, (std::vector<Toleration>{{"a", "b", false, TaintEffect::kNoSchedule},
                                                    {"a", "c", false, TaintEffect::kNoExecute},
                                                    {"", "", true, TaintEffect::kAny}}));
}

TEST(PodConstraints, HostPorts) {
  const Constraints c = constraints_of(R"(
  containers:
  - ports: [{containerPort: 80}, {containerPort: 81, hostPort: 8081}, {hostPort: 53, protocol: UDP, hostIP: 10.0.0.1}]
  initContainers:
  - ports: [{hostPort: 1}]
  - {restartPolicy: Always, ports: [{hostPort: 2}]}
)");
  EXPECT_EQ(c.host_ports, (std::vector<HostPort>{
                              {"0.0.0.0", "TCP", 2}, {"0.0.0.0", "TCP", 8081}, {"10.0.0.1", "UDP", 53}}));
  const Constraints host =
      constraints_of("  hostNetwork: true\n  containers: [{ports: [{containerPort: 80}]}]\n");
  EXPECT_EQ(host.host_ports, (std::vector<HostPort>{{"0.0.0.0", "TCP", 80}}));
}

TEST(PodConstraints, VolumesAndConfigMaps) {
  const Constraints c = constraints_of(R"(
  volumes:
  - {name: data, persistentVolumeClaim: {claimName: disk}}
  - {name: scratch, ephemeral: {volumeClaimTemplate: {}}}
  - {name: mounted, configMap: {name: m1}}
  - {name: unmounted, configMap: {name: m2}}
  - {name: optional, configMap: {name: m3, optional: true}}
  - {name: projected, projected: {sources: [{configMap: {name: m4}}, {secret: {name: s}}]}}
  - {name: gpu, configMap: {name: shared-gpu-0}}
  initContainers:
  - volumeMounts: [{name: mounted}, {name: optional}, {name: projected}, {name: gpu}]
  containers:
  - env:
    - {name: plain, value: x}
    - {name: a, valueFrom: {configMapKeyRef: {name: m5, key: k}}}
    - {name: b, valueFrom: {configMapKeyRef: {name: m6, key: k, optional: true}}}
    - {name: c, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
    envFrom: [{configMapRef: {name: m5}}, {configMapRef: {name: shared-gpu-0-evar}}, {secretRef: {name: s}}]
)",
                                       "  annotations: {runai/shared-gpu-configmap: shared-gpu}\n");
  EXPECT_EQ(c.volume_claims, (std::vector<std::string>{"disk", "a-scratch"}));
  EXPECT_EQ(c.config_maps, (std::vector<std::string>{"m1", "m4", "m5"}));
}

TEST(PodConstraints, ResourceClaimsAndSpread) {
  const Collected c = decoded(R"(
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  resourceClaims:
  - {name: own, resourceClaimName: shared}
  - {name: made, resourceClaimTemplateName: t}
  - {name: waiting, resourceClaimTemplateName: t}
  topologySpreadConstraints: [{maxSkew: 1}]
status:
  resourceClaimStatuses: [{name: made, resourceClaimName: a-made-x1}]
)");
  const Constraints& constraints = c.all<PodObject>().at(0).constraints;
  EXPECT_EQ(constraints.resource_claims,
            (std::vector<ClaimReference>{
                {"own", "shared", false}, {"made", "a-made-x1", true}, {"waiting", "", true}}));
  EXPECT_TRUE(constraints.has_spread_constraints);
  EXPECT_EQ(constraints.spread_text, R"([{"maxSkew":1}])");
}

}  // namespace
}  // namespace muster
