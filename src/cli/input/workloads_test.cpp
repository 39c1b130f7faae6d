// Pods and PodGroups created for workloads and pods in files, and the notes about them.
#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>

#include "cli/command_for_test.hpp"

namespace muster::cli {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::Not;

// Two nodes with four GPUs each and the queues "team" and "other".
std::string two_nodes() {
  return node_yaml("n1", 4) + node_yaml("n2", 4) + queue_yaml("all", "", kUnbounded) +
         queue_yaml("team", "all", "quota: 4, limit: -1, overQuotaWeight: 1") +
         queue_yaml("other", "all", "quota: 4, limit: -1, overQuotaWeight: 1");
}

// The spec of a pod or pod template that requests GPUs.
std::string spec(int gpus, const std::string& more = "") {
  return "spec: {schedulerName: kai-scheduler, " + more +
         "containers: [{name: main, resources: {requests: {cpu: \"1\", memory: 1Gi, nvidia.com/gpu: \"" +
         std::to_string(gpus) + "\"}}}]}";
}

std::string workload(const std::string& kind, const std::string& metadata, const std::string& of_spec) {
  return "---\n{apiVersion: " + kind + ", metadata: {name: w, " + metadata + "}, spec: {" + of_spec + "}}\n";
}

class WorkloadFiles : public testing::Test {
 protected:
  Ran ran(const std::string& command, const std::string& text, std::vector<std::string> more = {}) {
    const TemporaryFiles files;
    more.insert(more.begin(), {command, files.add("c.yaml", text)});
    Ran result = run_muster(more);
    result.out = files.without_root(result.out);
    result.err = files.without_root(result.err);
    return result;
  }
  Json simulated(const std::string& text) {
    const Ran result = ran("simulate", text, {"--now", "2025-06-01T12:00:00Z", "-o", "json"});
    EXPECT_EQ(result.exit_code, kSuccess) << result.err;
    said = result.err;
    return result.exit_code == kSuccess ? Json::parse(result.out) : Json();
  }
  // Maps each pod to its node; "" if it is pending.
  std::map<std::string, std::string> placed(const std::string& text) {
    std::map<std::string, std::string> nodes;
    const Json result = simulated(text);
    for (const Json& pod : result["pods"]) {
      const std::string name = pod["name"];
      nodes[name.substr(name.find('/') + 1)] = pod.value("node", "");
    }
    return nodes;
  }
  Json only_job(const std::string& text) {
    const Json result = simulated(text);
    EXPECT_EQ(result["jobs"].size(), 1U) << result["jobs"];
    return result["jobs"].empty() ? Json::object() : result["jobs"][0];
  }
  std::string said;
};

// ---------------------------------------------------------------- same results as with PodGroups by hand

struct Alike {
  const char* name;
  std::string workload, by_hand;
};

std::string group_by_hand(const std::string& group_spec,
                          const std::vector<std::pair<std::string, std::string>>& pods, int gpus) {
  std::string text =
      "---\n{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {name: hand}, "
      "spec: {queue: team, " +
      group_spec + "}}\n";
  for (const auto& [name, sub_group] : pods)
    text += "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name +
            ", annotations: {pod-group-name: hand}" +
            (sub_group.empty() ? "" : ", labels: {kai.scheduler/subgroup-name: " + sub_group + "}") + "}, " +
            spec(gpus) + "}\n";
  return text;
}

// More pods of that group, with other requests.
std::string member_by_hand(const std::vector<std::pair<std::string, std::string>>& pods, int gpus) {
  const std::string all = group_by_hand("", pods, gpus);
  return all.substr(all.find("---", 1));
}

const std::string kGangOfTwo =
    "---\n{apiVersion: scheduler.grove.io/v1alpha1, kind: PodGang, metadata: {name: g}, spec: "
    "{podgroups: [{name: all, minReplicas: 2, podReferences: []}]}}\n";

std::string owned_by_cliques(const std::string& name) {
  return "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name +
         ", labels: {grove.io/podgang: g, grove.io/podclique: all}, ownerReferences: [{apiVersion: "
         "grove.io/v1alpha1, kind: PodCliqueSet, name: w}]}, " +
         spec(2) + "}\n";
}

std::string single_groups(const std::vector<std::string>& pods, int gpus) {
  std::string text;
  for (const std::string& pod : pods) {
    std::string one = group_by_hand("minMember: 1, priorityClassName: inference", {{pod, ""}}, gpus);
    for (std::size_t at = 0; (at = one.find("hand", at)) != std::string::npos;) one.replace(at, 4, pod + "g");
    text += one;
  }
  return text;
}

std::vector<Alike> alike() {
  const std::string inference =
      "---\n{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: inference}, value: "
      "125}\n";
  return {
      {"Job", workload("batch/v1, kind: Job", kTeam, "parallelism: 3, template: {" + spec(2) + "}"),
       group_by_hand("minMember: 1", {{"w-0", ""}, {"w-1", ""}, {"w-2", ""}}, 2)},
      {"JobAsAGang",
       workload("batch/v1, kind: Job", kTeam + ", annotations: {kai.scheduler/batch-min-member: \"3\"}",
                "parallelism: 3, template: {" + spec(2) + "}"),
       group_by_hand("minMember: 3", {{"w-0", ""}, {"w-1", ""}, {"w-2", ""}}, 2)},
      {"StatefulSet",
       workload("apps/v1, kind: StatefulSet", kTeam, "replicas: 3, template: {" + spec(2) + "}"),
       group_by_hand("minMember: 1", {{"w-0", ""}, {"w-1", ""}, {"w-2", ""}}, 2)},
      {"ReplicaSet", workload("apps/v1, kind: ReplicaSet", kTeam, "replicas: 2, template: {" + spec(2) + "}"),
       group_by_hand("minMember: 1", {{"w-0", ""}, {"w-1", ""}}, 2)},
      {"Deployment",
       inference + workload("apps/v1, kind: Deployment", kTeam, "replicas: 3, template: {" + spec(1) + "}"),
       inference + single_groups({"w-0", "w-1", "w-2"}, 1)},
      {"PyTorchJob",
       workload("kubeflow.org/v1, kind: PyTorchJob", kTeam,
                "pytorchReplicaSpecs: {Master: {template: {" + spec(2) +
                    "}}, Worker: {replicas: 2, template: {" + spec(2) + "}}}"),
       group_by_hand(
           "minSubGroup: 2, subGroups: [{name: master, minMember: 1}, {name: worker, minMember: 2}]",
           {{"w-master-0", "master"}, {"w-worker-0", "worker"}, {"w-worker-1", "worker"}}, 2)},
      {"JobSet",
       workload("jobset.x-k8s.io/v1alpha2, kind: JobSet", kTeam,
                "replicatedJobs: [{name: a, replicas: 2, template: {spec: {parallelism: 1, template: {" +
                    spec(2) + "}}}}]"),
       group_by_hand("minSubGroup: 1, subGroups: [{name: a, minSubGroup: 2}, {name: a-replica-0, parent: a, "
                     "minMember: 1}, {name: a-replica-1, parent: a, minMember: 1}]",
                     {{"w-a-0-0", "a-replica-0"}, {"w-a-1-0", "a-replica-1"}}, 2)},
      {"MPIJob",
       workload("kubeflow.org/v2beta1, kind: MPIJob", kTeam,
                "mpiReplicaSpecs: {Launcher: {template: {" + spec(0) +
                    "}}, Worker: {replicas: 2, template: {" + spec(2) + "}}}"),
       group_by_hand("minMember: 3", {{"w-launcher-0", ""}}, 0) +
           member_by_hand({{"w-worker-0", ""}, {"w-worker-1", ""}}, 2)},
      {"RayCluster",
       workload("ray.io/v1, kind: RayCluster", kTeam,
                "headGroupSpec: {template: {" + spec(2) +
                    "}}, workerGroupSpecs: [{groupName: gpu, replicas: 2, minReplicas: 1, template: {" +
                    spec(2) + "}}]"),
       group_by_hand("subGroups: [{name: headgroup, minMember: 1}, {name: gpu, minMember: 1}]",
                     {{"w-head-0", "headgroup"}, {"w-gpu-worker-0", "gpu"}, {"w-gpu-worker-1", "gpu"}}, 2)},
      {"LeaderWorkerSet",
       workload(
           "leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet", kTeam,
           "startupPolicy: LeaderReady, leaderWorkerTemplate: {size: 2, workerTemplate: {" + spec(2) + "}}"),
       group_by_hand("subGroups: [{name: leader, minMember: 1}, {name: workers, minMember: 1}]",
                     {{"w-0", "leader"}, {"w-0-1", "workers"}}, 2)},
      {"PodCliqueSet",
       workload("grove.io/v1alpha1, kind: PodCliqueSet", kTeam, "") + kGangOfTwo + owned_by_cliques("w-0") +
           owned_by_cliques("w-1"),
       group_by_hand("subGroups: [{name: all, minMember: 2}]", {{"w-0", "all"}, {"w-1", "all"}}, 2)},
  };
}

// One of the clusters has room for all pods, the other only for some.
TEST_F(WorkloadFiles, AreScheduledLikeTheSamePodsInPodGroupsByHand) {
  for (const std::string& nodes : {node_yaml("n1", 4) + node_yaml("n2", 4), node_yaml("n1", 2)})
    for (const Alike& pair : alike()) {
      const std::string base = nodes + queue_yaml("team", "", kUnbounded);
      const auto expected = placed(base + pair.by_hand);
      EXPECT_FALSE(expected.empty());
      EXPECT_EQ(placed(base + pair.workload), expected) << pair.name;
    }
}

// ---------------------------------------------------------------- bare pods

TEST_F(WorkloadFiles, BarePodsAsInKaisQuickStart) {
  const std::string text = node_yaml("n1", 2) + queue_yaml("default", "", kUnbounded) +
                           queue_yaml("test", "default", kUnbounded) + R"(---
apiVersion: v1
kind: Pod
metadata: {name: cpu-only-pod, labels: {kai.scheduler/queue: test}}
spec:
  schedulerName: kai-scheduler
  containers: [{name: main, image: ubuntu, args: [sleep, infinity], resources: {requests: {cpu: 100m, memory: 250M}}}]
---
apiVersion: v1
kind: Pod
metadata: {name: gpu-pod, labels: {kai.scheduler/queue: test}}
spec:
  schedulerName: kai-scheduler
  containers: [{name: main, image: ubuntu, command: [nvidia-smi], resources: {limits: {nvidia.com/gpu: "1"}}}]
---
apiVersion: v1
kind: Pod
metadata: {name: shared, labels: {kai.scheduler/queue: test}, annotations: {gpu-fraction: "0.5"}}
spec:
  schedulerName: kai-scheduler
  containers: [{name: main, image: ubuntu}]
)";
  EXPECT_EQ(placed(text), (std::map<std::string, std::string>{
                              {"cpu-only-pod", "n1"}, {"gpu-pod", "n1"}, {"shared", "n1"}}));
  EXPECT_THAT(said, HasSubstr("note: 3 PodGroups created, as the pod grouper would\n"));
}

std::string bare_pod(const std::string& name, const std::string& metadata, int gpus = 1) {
  return "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name + (metadata.empty() ? "" : ", ") +
         metadata + "}, " + spec(gpus) + "}\n";
}

TEST_F(WorkloadFiles, ABarePodIsAJobOfItsOwn) {
  const Json job = only_job(two_nodes() + bare_pod("p", kTeam));
  EXPECT_EQ(job["name"], "default/pg-p-pod");
  EXPECT_EQ(job["queue"], "team");
  EXPECT_EQ(only_job(two_nodes() + bare_pod("p", "uid: u-1, " + kTeam))["name"], "default/pg-p-u-1");
}

TEST_F(WorkloadFiles, APodWithoutAQueueGoesToTheDefaultOne) {
  EXPECT_EQ(only_job(node_yaml("n1", 4) + bare_pod("p", ""))["queue"], "default-queue");
  EXPECT_THAT(said, HasSubstr("note: no Queue in these files: using the default queues, as serve does\n"));
  EXPECT_EQ(placed(node_yaml("n1", 4) + bare_pod("p", ""))["p"], "n1");
  // If the files have queues, no default queue is created. The job is pending, and validate reports why.
  EXPECT_EQ(placed(two_nodes() + bare_pod("p", ""))["p"], "");
  EXPECT_THAT(
      ran("validate", two_nodes() + bare_pod("p", "")).out,
      HasSubstr("PodGroup default/pg-p-pod: spec.queue: queue \"default-queue\" is not in these files"));
}

TEST_F(WorkloadFiles, PodsOfOneOwnerShareAGroup) {
  const std::string owner = "ownerReferences: [{apiVersion: batch/v1, kind: Job, name: w}]";
  const std::string job =
      workload("batch/v1, kind: Job", kTeam + ", annotations: {kai.scheduler/batch-min-member: \"2\"}",
               "parallelism: 2, template: {" + spec(1) + "}");
  const Json result = only_job(two_nodes() + bare_pod("w-x", owner) + bare_pod("w-y", owner) + job);
  EXPECT_EQ(result["name"], "default/pg-w-job");
  EXPECT_THAT(said, Not(HasSubstr("created for workloads")));
  EXPECT_THAT(said, Not(HasSubstr("not used")));
  // If one of the two pods is missing, it is created.
  EXPECT_EQ(placed(two_nodes() + bare_pod("w-x", owner) + job),
            (std::map<std::string, std::string>{{"w-x", "n1"}, {"w-0", "n1"}}));
}

TEST_F(WorkloadFiles, TheReplicaSetOfADeploymentMayBeMissing) {
  const std::string owner =
      kTeam + ", ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: w-5d4f, uid: r}]";
  const std::string deployment =
      workload("apps/v1, kind: Deployment", kTeam, "replicas: 2, template: {" + spec(1) + "}");
  const auto pods =
      placed(two_nodes() + bare_pod("w-5d4f-a", owner) + bare_pod("w-5d4f-b", owner) + deployment);
  EXPECT_EQ(pods.size(), 2U);
  const std::string set =
      "---\n{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: w-5d4f, uid: r, ownerReferences: "
      "[{apiVersion: apps/v1, kind: Deployment, name: w}]}, spec: {replicas: 3, template: {" +
      spec(1) + "}}}\n";
  EXPECT_EQ(placed(two_nodes() + bare_pod("w-5d4f-a", owner) + set + deployment).size(), 3U);
}

TEST_F(WorkloadFiles, PodsOfAMissingOwnerAreGroupedIndividually) {
  const std::string owner =
      kTeam + ", ownerReferences: [{apiVersion: batch/v1, kind: Job, name: gone, uid: g}]";
  EXPECT_EQ(only_job(two_nodes() + bare_pod("p", owner))["name"], "default/pg-p-pod");
  EXPECT_THAT(said, HasSubstr("note: 1 pod grouped individually: the owner is not in these files\n"));
}

TEST_F(WorkloadFiles, PodsOfOtherSchedulersAreNotGrouped) {
  EXPECT_TRUE(
      simulated(two_nodes() + bare_pod("p", "annotations: {kai.scheduler/skip-podgrouper: \"true\"}"))["jobs"]
          .empty());
  EXPECT_THAT(said, HasSubstr("note: 1 pod without a PodGroup, as kai.scheduler/skip-podgrouper requests\n"));
  EXPECT_TRUE(simulated(two_nodes() + "---\n{apiVersion: v1, kind: Pod, metadata: {name: p, " + kTeam +
                        "}, spec: {containers: [{name: main}]}}\n")["jobs"]
                  .empty());
  EXPECT_THAT(said, HasSubstr("note: 1 pod with label kai.scheduler/queue but a schedulerName other than "
                              "kai-scheduler: not scheduled\n"));
  EXPECT_EQ(simulated(two_nodes() + job_yaml("hand", "team", 2, 2, 1))["jobs"].size(), 1U);
  EXPECT_EQ(said, "");
}

TEST_F(WorkloadFiles, GpuReservationsAreNotGrouped) {
  const std::string reservation =
      bare_pod("p", "namespace: kai-resource-reservation, labels: {app: kai-resource-reservation}");
  EXPECT_TRUE(simulated(two_nodes() + reservation)["jobs"].empty());
  EXPECT_THAT(said, Not(HasSubstr("PodGroup planned")));
  const std::string tenants = bare_pod("p", "labels: {app: kai-resource-reservation}");
  EXPECT_EQ(simulated(two_nodes() + tenants)["jobs"].size(), 1U);
}

// ---------------------------------------------------------------- messages

TEST_F(WorkloadFiles, CreatedAndIgnoredObjectsAreReported) {
  const std::string text =
      two_nodes() + workload("apps/v1, kind: Deployment", kTeam, "replicas: 2, template: {" + spec(1) + "}") +
      workload("batch/v1, kind: Job", kTeam, "suspend: true, template: {" + spec(1) + "}") +
      workload("batch/v1, kind: CronJob", kTeam, "schedule: \"@daily\"") +
      workload("apps/v1, kind: StatefulSet", kTeam, "template: {spec: {containers: [{name: main}]}}") +
      workload("example.com/v1, kind: Thing", kTeam, "");
  EXPECT_EQ(ran("validate", text).out,
            "note: 2 pods created for workloads, as their controllers would\n"
            "note: 2 PodGroups created, as the pod grouper would\n"
            "note: no PriorityClass inference in these files: using KAI-Scheduler's value 125\n"
            "note: 1 object of kind apps/v1 StatefulSet not used: schedulerName is not kai-scheduler\n"
            "note: 1 object of kind batch/v1 CronJob not used: its runs are separate Jobs\n"
            "note: 1 object of kind batch/v1 Job not used: suspended\n"
            "note: 1 object of kind example.com/v1 Thing not used\n"
            "1 Deployment, 2 Node, 3 Queue in 1 file: 0 errors, 0 warnings\n");
}

TEST_F(WorkloadFiles, SubGroupsAreReported) {
  const std::string roles =
      "Master: {template: {" + spec(2) + "}}, Worker: {replicas: 3, template: {" + spec(2) + "}}";
  const Json job = only_job(
      two_nodes() + workload("kubeflow.org/v1, kind: PyTorchJob", kTeam,
                             "elasticPolicy: {minReplicas: 2}, pytorchReplicaSpecs: {" + roles + "}"));
  EXPECT_EQ(job["minPods"], 2);
  EXPECT_EQ(job["subGroups"], Json::parse(R"([{"name":"master","minPods":1,"pods":1,"podsRunning":1},)"
                                          R"({"name":"worker","minPods":1,"pods":3,"podsRunning":3}])"));
  EXPECT_FALSE(only_job(two_nodes() + bare_pod("p", kTeam)).contains("subGroups"));
}

TEST_F(WorkloadFiles, TheDefaultPriorityOfAKindNeedsNoPriorityClass) {
  EXPECT_THAT(ran("simulate",
                  two_nodes() + workload("apps/v1, kind: Deployment", kTeam, "template: {" + spec(1) + "}"),
                  {"--now", "2025-06-01T12:00:00Z"})
                  .out,
              testing::ContainsRegex("pg-w-0-pod +team +125 "));
}

TEST_F(WorkloadFiles, ErrorsPointToTheWorkload) {
  const std::string text =
      workload("apps/v1, kind: Deployment", kTeam, "replicas: 20000, template: {" + spec(1) + "}");
  Ran result = ran("validate", text);
  EXPECT_EQ(result.exit_code, kNo);
  EXPECT_THAT(result.out,
              HasSubstr("error: c.yaml:2: Deployment default/w: spec.replicas: requests 20000 pods; at "
                        "most 10000 are created per workload\n"));
  result =
      ran("validate", workload("apps/v1, kind: ReplicaSet", kTeam,
                               "replicas: 9, template: {spec: {schedulerName: kai-scheduler, containers: "
                               "[{name: m, resources: {requests: {memory: 4Gx}}}]}}"));
  EXPECT_EQ(result.exit_code, kNo);
  EXPECT_THAT(result.out,
              HasSubstr("error: c.yaml:2: ReplicaSet default/w: spec.template.spec.containers[0].resources."
                        "requests.memory: \"4Gx\" is not a quantity\n"));
  EXPECT_THAT(result.out, HasSubstr(" 1 error, "));
}

TEST_F(WorkloadFiles, AWorkloadThatCannotBeGroupedIsAWarning) {
  const std::string text =
      two_nodes() + workload("batch/v1, kind: Job",
                             kTeam + ", annotations: {kai.scheduler/batch-min-member: many}",
                             "parallelism: 2, template: {" + spec(1) + "}");
  EXPECT_THAT(ran("validate", text).out,
              HasSubstr("Job default/w: annotation kai.scheduler/batch-min-member: \"many\" is not a whole "
                        "number; its pods get no PodGroup\n"));
  EXPECT_EQ(placed(text), (std::map<std::string, std::string>{{"w-0", ""}, {"w-1", ""}}));
}

TEST_F(WorkloadFiles, ACreatedPodGroupIsAsOldAsItsWorkload) {
  const auto job = [](const std::string& name, const std::string& created) {
    return "---\n{apiVersion: batch/v1, kind: Job, metadata: {name: " + name + ", creationTimestamp: \"" +
           created + "\", " + kTeam + "}, spec: {template: {" + spec(2) + "}}}\n";
  };
  const std::string base = node_yaml("n1", 2) + queue_yaml("team", "", kUnbounded);
  const auto pods = placed(base + job("a", "2025-06-01T11:00:00Z") + job("b", "2025-06-01T10:00:00Z"));
  EXPECT_EQ(pods, (std::map<std::string, std::string>{{"a-0", ""}, {"b-0", "n1"}}));
}

}  // namespace
}  // namespace muster::cli
