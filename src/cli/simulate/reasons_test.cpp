// One test per kind of reason that excludes a node for a pod: the message for users and the details for
// programs.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/command_for_test.hpp"

namespace muster::cli {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

std::string node(
    const std::string& name, const std::string& metadata, const std::string& spec,
    const std::string& allocatable = "cpu: '8', memory: 64Gi, nvidia.com/gpu: '4', pods: '110'") {
  return "---\n{apiVersion: v1, kind: Node, metadata: {name: " + name + metadata + "}, spec: {" + spec +
         "}, status: {allocatable: {" + allocatable + "}}}\n";
}

struct PodText {
  std::string spec = "";  // fields besides scheduler and containers
  std::string requests = "cpu: '1'";
  std::string labels = "";
  std::string ports = "";
  std::string scheduler = "kai-scheduler";
};

std::string pod(const std::string& name, const std::string& group, const PodText& p) {
  return "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", labels: {" + p.labels +
         "}, annotations: {" + (group.empty() ? "" : "pod-group-name: " + group) + "}}, spec: {" + p.spec +
         "schedulerName: " + p.scheduler + ", containers: [{name: main, " + p.ports +
         "resources: {requests: {" + p.requests +
         "}}}]}, status: {phase: " + (p.spec.find("nodeName") == std::string::npos ? "Pending" : "Running") +
         "}}\n";
}

std::string job(const std::string& name, const PodText& p) {
  return group_yaml(name, "q", 1) + pod(name + "-0", name, p);
}

class Reasons : public testing::Test {
 protected:
  // The first reason of job "p". `cluster` has all objects except the queue.
  Json reason(const std::string& cluster,
              const std::string& memory = "{quota: -1, limit: -1, overQuotaWeight: 1}") {
    const std::string queue =
        "---\n{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: q}, spec: {resources: {gpu: "
        "{quota: -1, limit: -1, overQuotaWeight: 1}, cpu: {quota: -1, limit: -1, overQuotaWeight: 1}, "
        "memory: " +
        memory + "}}}\n";
    const Ran ran =
        run_muster({"simulate", files_.add("c.yaml", queue + cluster), "--config",
                    files_.add("config.yml", kAllocateOnly), "--now", "2025-06-01T12:00:00Z", "-o", "json"});
    EXPECT_EQ(ran.exit_code, kSuccess) << ran.err;
    const Json all = Json::parse(ran.out);
    for (const Json& j : all["jobs"])
      if (j["name"] == "default/p") return j["reasons"][0];
    return {};
  }
  // Compares the message, and the details of the first row of nodes.
  void expect(const std::string& cluster, const std::string& message, const std::string& details) {
    const Json found = reason(cluster);
    EXPECT_THAT(found["message"].get<std::string>(), HasSubstr(message));
    EXPECT_EQ(found["details"]["nodes"][0].dump(), details);
  }
  TemporaryFiles files_;
};

TEST_F(Reasons, NameTheTaint) {
  expect(
      node("n1", "", "taints: [{key: team, value: a, effect: NoSchedule}, {key: gpu, effect: NoExecute}]") +
          node("n2", "", "taints: [{key: gpu, effect: NoExecute}]") + job("p", {}),
      "1 node: taint gpu:NoExecute not tolerated; 1 node: taint team=a:NoSchedule not tolerated",
      R"({"nodes":1,"rule":"Taints","name":"gpu:NoExecute"})");
}

TEST_F(Reasons, NameTheNodeSelector) {
  expect(node("n1", ", labels: {gpu: h100}", "") + node("n2", "", "") +
             job("p", {.spec = "nodeSelector: {gpu: h200}, "}),
         "no room for pod p-0: 2 nodes: does not match nodeSelector gpu=h200",
         R"({"nodes":2,"rule":"NodeAffinity","name":"nodeSelector gpu=h200"})");
}

std::string affinity(const std::string& terms) {
  return "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [" +
         terms + "]}}}, ";
}

TEST_F(Reasons, NameTheTermOfNodeAffinity) {
  const std::string zones = "{matchExpressions: [{key: zone, operator: In, values: [a, b]}]}";
  expect(node("n1", ", labels: {zone: c}", "") + job("p", {.spec = affinity(zones)}),
         "1 node: does not match affinity: zone In [a, b]",
         R"({"nodes":1,"rule":"NodeAffinity","name":"affinity: zone In [a, b]"})");
  const std::string disk = "{matchExpressions: [{key: disk, operator: Exists}]}";
  expect(node("n1", ", labels: {zone: c}", "") + job("p", {.spec = affinity(zones + ", " + disk)}),
         "1 node: does not match affinity: zone In [a, b], nor 1 other term",
         R"({"nodes":1,"rule":"NodeAffinity","name":"affinity: zone In [a, b], nor 1 other term"})");
}

TEST_F(Reasons, NameTheResourceAndTheLargestFreeAmount) {
  expect(
      node("n1", "", "") + node("n2", "", "") +
          job("r", {.spec = "nodeName: n1, ", .requests = "nvidia.com/gpu: '3'"}) +
          job("s", {.spec = "nodeName: n2, ", .requests = "nvidia.com/gpu: '2'"}) +
          job("p", {.requests = "nvidia.com/gpu: '3'"}),
      "2 nodes: not enough GPUs (3 requested, at most 2 free)",
      R"({"nodes":2,"rule":"NotEnoughResources","resource":"nvidia.com/gpu","requested":3.0,"available":2.0})");
  expect(
      node("n1", "", "") + job("r", {.spec = "nodeName: n1, ", .requests = "memory: 60Gi"}) +
          job("p", {.requests = "memory: 16Gi"}),
      "1 node: not enough memory (16 GiB requested, at most 4 GiB free)",
      R"({"nodes":1,"rule":"NotEnoughResources","resource":"memory","requested":17179869184,"available":4294967296})");
  expect(node("n1", "", "") + job("r", {.spec = "nodeName: n1, ", .requests = "cpu: 7500m"}) +
             job("p", {.requests = "cpu: '1'"}),
         "1 node: not enough CPU (1 core requested, at most 0.5 cores free)",
         R"({"nodes":1,"rule":"NotEnoughResources","resource":"cpu","requested":1000,"available":500})");
}

TEST_F(Reasons, NameTheHoldersOfAShortResource) {
  const std::string cluster =
      node("n1", "", "") + job("r", {.spec = "nodeName: n1, ", .requests = "nvidia.com/gpu: '3'"}) +
      pod("monitor", "",
          {.spec = "nodeName: n1, ", .requests = "nvidia.com/gpu: '1'", .scheduler = "other"}) +
      job("p", {.requests = "nvidia.com/gpu: '2'"});
  const Json found = reason(cluster);
  EXPECT_THAT(
      found["message"].get<std::string>(),
      HasSubstr("; 4 GPUs: 3 in use by queue q, 1 by pods outside all queues (default/monitor), none free"));
  EXPECT_EQ(found["details"]["holders"].dump(),
            R"({"resource":"nvidia.com/gpu","total":4.0,"free":0.0,"heldBy":[{"amount":3.0,"queue":"q"},)"
            R"({"amount":1.0,"pods":["default/monitor"],"podCount":1}],"heldByOthers":0.0})");
  EXPECT_FALSE(reason(node("n1", "", "unschedulable: true") + job("p", {}))["details"].contains("holders"));
}

TEST_F(Reasons, NameTheHostPort) {
  const std::string port = "ports: [{containerPort: 80, hostPort: 8080}], ";
  expect(node("n1", "", "") + job("r", {.spec = "nodeName: n1, ", .ports = port}) + job("p", {.ports = port}),
         "1 node: host port 8080/TCP in use", R"({"nodes":1,"rule":"HostPorts","name":"8080/TCP"})");
}

std::string pod_affinity(const std::string& kind) {
  return "affinity: {" + kind +
         ": {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, labelSelector: "
         "{matchLabels: "
         "{app: web}}}]}}, ";
}

TEST_F(Reasons, NameTheTermOfPodAffinityAndTheOtherPod) {
  const std::string nodes = node("n1", ", labels: {zone: a}", "");
  expect(nodes + job("p", {.spec = pod_affinity("podAffinity")}),
         "1 node: no pod there matches the pod affinity (app=web by zone)",
         R"({"nodes":1,"rule":"PodAffinity","name":"app=web by zone"})");
  expect(nodes + job("w", {.spec = "nodeName: n1, ", .labels = "app: web"}) +
             job("p", {.spec = pod_affinity("podAntiAffinity")}),
         "1 node: the pod anti-affinity excludes a pod there (app=web by zone: default/w-0)",
         R"({"nodes":1,"rule":"PodAntiAffinity","name":"app=web by zone","by":"default/w-0"})");
  expect(nodes + job("w", {.spec = "nodeName: n1, " + pod_affinity("podAntiAffinity")}) +
             job("p", {.labels = "app: web"}),
         "1 node: the anti-affinity of a pod there excludes this pod (default/w-0: app=web by zone)",
         R"({"nodes":1,"rule":"ExistingPodsAntiAffinity","name":"app=web by zone","by":"default/w-0"})");
}

TEST_F(Reasons, NameTheVolumeClaimAndItsVolume) {
  expect(node("n1", ", labels: {zone: a}", "") +
             "---\n{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {volumeName: "
             "pv-1}, status: {phase: Bound}}\n"
             "---\n{apiVersion: v1, kind: PersistentVolume, metadata: {name: pv-1}, spec: {nodeAffinity: "
             "{required: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: "
             "[b]}]}]}}}}\n" +
             job("p", {.spec = "volumes: [{name: d, persistentVolumeClaim: {claimName: data}}], "}),
         "1 node: volume claim data cannot be satisfied there (PersistentVolume/pv-1)",
         R"({"nodes":1,"rule":"Volumes","name":"data","by":"PersistentVolume/pv-1"})");
}

TEST_F(Reasons, ComeFirstIfNoEvictionWouldHelp) {
  expect(node("n1", "", "") + job("r", {.spec = "nodeName: n1, ", .requests = "cpu: '8'"}) +
             job("p", {.spec = "nodeSelector: {gpu: h200}, "}),
         "1 node: does not match nodeSelector gpu=h200",
         R"({"nodes":1,"rule":"NodeAffinity","name":"nodeSelector gpu=h200"})");
}

TEST_F(Reasons, AreLimitedInNumber) {
  std::string nodes;
  for (int i = 0; i < 40; ++i) {
    const std::string n = std::to_string(i);
    nodes += node("n" + n, "", "taints: [{key: of, value: user-" + n + ", effect: NoSchedule}]");
  }
  const Json found = reason(nodes + job("p", {}));
  EXPECT_EQ(
      found["message"],
      "no room for pod p-0: 8 nodes: taint not tolerated; 1 node: taint of=user-0:NoSchedule not tolerated; "
      "1 node: taint of=user-10:NoSchedule not tolerated; 1 node: taint of=user-11:NoSchedule not tolerated; "
      "1 node: taint of=user-12:NoSchedule not tolerated; and 28 nodes for other reasons");
  EXPECT_LE(found["details"]["nodes"].size(), 33U);
}

TEST_F(Reasons, ComparedAmountsHaveTheSameUnit) {
  const std::string cluster = node("n1", "", "") + job("p", {.requests = "memory: 64Gi"});
  EXPECT_EQ(reason(cluster, "{quota: 10000, limit: 10000, overQuotaWeight: 1}")["message"],
            "queue q has a limit of 10 GB: 0 GB in use, 68.719 GB more requested");
  EXPECT_EQ(reason(cluster, "{quota: 500, limit: 500, overQuotaWeight: 1}")["message"],
            "queue q has a limit of 500 MB: 0 MB in use, 68719.477 MB more requested");
}

}  // namespace
}  // namespace muster::cli
