// Each kind of workload of docs/kai/kubernetes.md 6.3: how many of its pods start together, and how they are
// grouped.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grouper/fields.hpp"
#include "grouper/grouper.hpp"

namespace muster::grouper {
namespace {

// Formats sub groups with their minima as "a 2, b(c 1, d 0)"; children are in parentheses.
std::string tree_below(const json& groups, const std::string& parent) {
  std::string text;
  for (const json& group : groups) {
    if (text_at(group, "/parent") != parent) continue;
    const std::string name = text_at(group, "/name");
    const std::string children = tree_below(groups, name);
    text += text.empty() ? "" : ", ";
    text += children.empty() ? fmt::format("{} {}", name, group["minMember"].get<int>())
                             : fmt::format("{}({})", name, children);
  }
  return text;
}

std::string shape_of(const json& spec) {
  if (!spec.contains("subGroups")) return fmt::format("{}", spec["minMember"].get<int>());
  return fmt::format("{} of {}", spec["minSubGroup"].get<int>(), tree_below(spec["subGroups"], ""));
}

json object_from(const char* kind, const std::string& name, const char* rest) {
  const std::string text = kind;
  json object = json::parse(rest);
  object["apiVersion"] = text.substr(0, text.rfind(' '));
  object["kind"] = text.substr(text.rfind(' ') + 1);
  object["metadata"].update({{"name", name}, {"namespace", "lab"}, {"uid", name + "-uid"}});
  return object;
}

struct KindCase {
  const char* name;
  const char* kind;  // "apiVersion Kind"
  const char* object;
  const char* pod_labels;
  const char* shape;  // in the format of shape_of(), or the error
  const char* sub_group = "";
  const char* group = "pg-w-w-uid";
  const char* priority_class = "train";
};

Result<GroupPlan> planned(const KindCase& c) {
  json pod = object_from("v1 Pod", "p", "{}");
  pod["metadata"]["labels"] = json::parse(c.pod_labels);
  return plan_group(pod, {object_from(c.kind, "w", c.object)}, {});
}

class Kinds : public testing::TestWithParam<KindCase> {};

TEST_P(Kinds, Shape) {
  const KindCase& c = GetParam();
  const auto plan = planned(c);
  if (!plan) {
    EXPECT_EQ(plan.error().text(), c.shape);
    return;
  }
  EXPECT_EQ(shape_of(plan->pod_group["spec"]), c.shape);
  EXPECT_EQ(plan->sub_group, c.sub_group);
  EXPECT_EQ(text_at(plan->pod_group, "/metadata/name"), c.group);
  EXPECT_EQ(text_at(plan->pod_group, "/spec/priorityClassName"), c.priority_class);
}

std::string case_name(const testing::TestParamInfo<KindCase>& info) { return info.param.name; }

constexpr const char *kTf = "kubeflow.org/v1 TFJob", *kXgb = "kubeflow.org/v1 XGBoostJob",
                     *kJax = "kubeflow.org/v1 JAXJob", *kMpi = "kubeflow.org/v2beta1 MPIJob";

INSTANTIATE_TEST_SUITE_P(
    Kubeflow, Kinds,
    testing::Values(
        KindCase{"TFJob", kTf,
                 R"({"spec": {"tfReplicaSpecs": {"Chief": {"replicas": 1}, "PS": {"replicas": 2},
                                                 "Worker": {"replicas": 4}}}})",
                 "{}", "7"},
        KindCase{
            "TFJobWithAMinimum", kTf,
            R"({"spec": {"runPolicy": {"schedulingPolicy": {"minAvailable": 3}}, "tfReplicaSpecs": {}}})",
            "{}", "3"},
        KindCase{"TFJobWithoutReplicas", kTf, R"({"spec": {"tfReplicaSpecs": {"Worker": {"replicas": 0}}}})",
                 "{}", "spec.tfReplicaSpecs.Worker.replicas: must be at least 1"},
        KindCase{"TFJobOfNothing", kTf, R"({"spec": {"tfReplicaSpecs": {}}})", "{}",
                 "spec.tfReplicaSpecs: has no replicas"},
        KindCase{"XGBoostJob", kXgb,
                 R"({"spec": {"xgbReplicaSpecs": {"Master": {}, "Worker": {"replicas": 2}}}})", "{}", "3"},
        KindCase{"XGBoostJobWithoutMaster", kXgb,
                 R"({"spec": {"xgbReplicaSpecs": {"Worker": {"replicas": 2}}}})", "{}",
                 "spec.xgbReplicaSpecs.Master: is missing"},
        KindCase{"JAXJob", kJax, R"({"spec": {"jaxReplicaSpecs": {"Worker": {"replicas": 8}}}})", "{}", "8"},
        KindCase{"JAXJobOfAnotherKind", kJax, R"({"spec": {"tfReplicaSpecs": {"Worker": {"replicas": 8}}}})",
                 "{}", "spec.jaxReplicaSpecs: is missing"},
        KindCase{"MPIJob", kMpi,
                 R"({"spec": {"mpiReplicaSpecs": {"Launcher": {"replicas": 1}, "Worker": {"replicas": 4}}}})",
                 "{}", "5"},
        KindCase{"MPIJobWithoutWorkers", kMpi, R"({"spec": {"mpiReplicaSpecs": {"Launcher": {}}}})", "{}",
                 "spec.mpiReplicaSpecs.Worker: is missing"},
        KindCase{"MoreReplicasThanTheApiHas", kJax,
                 R"({"spec": {"jaxReplicaSpecs": {"Worker": {"replicas": 9000000000000000000}}}})", "{}",
                 "2147483647"},
        KindCase{"Notebook", "kubeflow.org/v1beta1 Notebook", R"({})", "{}", "1", "", "pg-w-w-uid", "build"}),
    case_name);

// A head, four required workers out of six, three replicas with two hosts each, and groups that are not used.
constexpr const char* kRaySpec = R"({"headGroupSpec": {}, "workerGroupSpecs": [
    {"groupName": "small", "replicas": 6, "minReplicas": 4},
    {"groupName": "tall", "replicas": 3, "numOfHosts": 2},
    {"groupName": "idle", "replicas": 0}, {"groupName": "asleep", "replicas": 2, "suspend": true},
    {"replicas": 1}]})";
constexpr const char* kRayShape = "4 of headgroup 1, small 4, tall 6, worker-group-4 1";

std::string ray(const char* field) {
  json object = {{"spec", {{field, json::parse(kRaySpec)}}}};
  if (std::string_view(field) == "spec") object = {{"spec", json::parse(kRaySpec)}};
  return object.dump();
}
const std::string kRayCluster = ray("spec"), kRayJob = ray("rayClusterSpec"),
                  kRayService = ray("rayClusterConfig");

INSTANTIATE_TEST_SUITE_P(
    Ray, Kinds,
    testing::Values(
        KindCase{"RayClusterHead", "ray.io/v1 RayCluster", kRayCluster.c_str(),
                 R"({"ray.io/node-type": "head"})", kRayShape, "headgroup"},
        KindCase{"RayClusterWorker", "ray.io/v1 RayCluster", kRayCluster.c_str(),
                 R"({"ray.io/group": "tall"})", kRayShape, "tall"},
        KindCase{"RayClusterWorkerOfAnUnusedGroup", "ray.io/v1 RayCluster", kRayCluster.c_str(),
                 R"({"ray.io/group": "idle"})",
                 "the pod belongs to sub group \"idle\", which RayCluster w does not have"},
        KindCase{"RayClusterOfAClass", "ray.io/v1alpha1 RayCluster",
                 R"({"metadata": {"labels": {"ray.io/priority-class-name": "urgent"}}, "spec": {}})",
                 R"({"ray.io/group": "headgroup"})", "1 of headgroup 1", "headgroup", "pg-w-w-uid", "urgent"},
        KindCase{"RayJob", "ray.io/v1 RayJob", kRayJob.c_str(), R"({"ray.io/group": "small"})",
                 "5 of headgroup 1, small 4, tall 6, worker-group-4 1, submitter 0", "small"},
        KindCase{"RayJobSubmitter", "ray.io/v1 RayJob", kRayJob.c_str(), R"({"job-name": "w"})",
                 "5 of headgroup 1, small 4, tall 6, worker-group-4 1, submitter 0", "submitter"},
        KindCase{"RayJobByHttp", "ray.io/v1 RayJob",
                 R"({"spec": {"submissionMode": "HTTPMode", "rayClusterSpec": {}}})",
                 R"({"ray.io/group": "headgroup"})", "1 of headgroup 1", "headgroup"},
        KindCase{"RayJobOnAnotherCluster", "ray.io/v1 RayJob", R"({"spec": {"clusterSelector": {}}})", "{}",
                 "1"},
        KindCase{"RayService", "ray.io/v1 RayService", kRayService.c_str(), R"({"ray.io/group": "small"})",
                 kRayShape, "small"},
        KindCase{"RayTopologyWithoutAName", "ray.io/v1 RayCluster",
                 R"({"spec": {"headGroupSpec": {"template": {"metadata": {"annotations":
                     {"kai.scheduler/topology-required-placement": "rack"}}}}}})",
                 R"({"ray.io/group": "headgroup"})",
                 "spec.headGroupSpec.template.metadata.annotations: annotation kai.scheduler/topology: a "
                 "level is given, but no topology"}),
    case_name);

constexpr const char* kLws = "leaderworkerset.x-k8s.io/v1 LeaderWorkerSet";
constexpr const char* kFirst =
    R"({"leaderworkerset.sigs.k8s.io/worker-index": "0", "leaderworkerset.sigs.k8s.io/group-index": "3"})";
constexpr const char* kFourth =
    R"({"leaderworkerset.sigs.k8s.io/worker-index": "4", "leaderworkerset.sigs.k8s.io/group-index": "3"})";
constexpr const char* kOfThree = "pg-w-w-uid-group-3";

INSTANTIATE_TEST_SUITE_P(
    LeaderWorkerSet, Kinds,
    testing::Values(
        KindCase{"Leader", kLws, R"({"spec": {"leaderWorkerTemplate": {"size": 5}}})", kFirst,
                 "2 of leader 1, workers 4", "leader", kOfThree},
        KindCase{"Worker", kLws, R"({"spec": {"leaderWorkerTemplate": {"size": 5}}})", kFourth,
                 "2 of leader 1, workers 4", "workers", kOfThree},
        KindCase{"LeaderAlone", kLws, R"({"spec": {"leaderWorkerTemplate": {"size": 1}}})", kFirst,
                 "1 of leader 1", "leader", kOfThree},
        KindCase{"LeaderThatComesFirst", kLws,
                 R"({"spec": {"startupPolicy": "LeaderReady", "leaderWorkerTemplate": {"size": 5}}})", kFirst,
                 "2 of leader 1, workers 0", "leader", kOfThree},
        KindCase{"WorkerAfterTheLeader", kLws,
                 R"({"spec": {"startupPolicy": "LeaderReady", "leaderWorkerTemplate": {"size": 5}}})",
                 kFourth, "2 of leader 1, workers 4", "workers", kOfThree},
        KindCase{"SegmentsWithTheLeaderAsOneMore", kLws,
                 R"({"spec": {"leaderWorkerTemplate": {"size": 5, "subGroupPolicy": {"subGroupSize": 2}}}})",
                 kFourth, "2 of segment-0(leader 1, workers 2), segment-1 2", "segment-1", kOfThree},
        KindCase{"SegmentsWithTheLeaderInTheFirst", kLws,
                 R"({"spec": {"leaderWorkerTemplate": {"size": 6, "subGroupPolicy": {"subGroupSize": 2}}}})",
                 kFourth, "3 of segment-0(leader 1, workers 1), segment-1 2, segment-2 2", "segment-2",
                 kOfThree},
        KindCase{"ShortLastSegment", kLws,
                 R"({"metadata": {"annotations": {"kai.scheduler/segment-size": "3"}},
                     "spec": {"leaderWorkerTemplate": {"size": 5}}})",
                 kFourth, "2 of segment-0(leader 1, workers 2), segment-1 2", "segment-1", kOfThree},
        KindCase{"SegmentsWithoutTheLeader", kLws,
                 R"({"spec": {"leaderWorkerTemplate": {"size": 5, "subGroupPolicy":
                     {"subGroupSize": 2, "subGroupPolicyType": "LeaderExcluded"}}}})",
                 kFourth, "3 of leader 1, segment-0 2, segment-1 2", "segment-1", kOfThree},
        KindCase{"SegmentsThatDoNotAddUp", kLws,
                 R"({"spec": {"leaderWorkerTemplate": {"size": 6, "subGroupPolicy":
                     {"subGroupSize": 2, "subGroupPolicyType": "LeaderExcluded"}}}})",
                 kFourth, "LeaderExcluded: 5 workers cannot be divided into segments of 2"},
        KindCase{"SegmentsLargerThanTheReplica", kLws,
                 R"({"spec": {"leaderWorkerTemplate": {"size": 2, "subGroupPolicy": {"subGroupSize": 3}}}})",
                 kFirst, "segment size 3: must be between 2 and the replica size, 2"},
        KindCase{"NoSize", kLws, R"({"spec": {}})", kFirst,
                 "spec.leaderWorkerTemplate.size: must be at least 1"}),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Others, Kinds,
    testing::Values(
        KindCase{"KnativeServiceWithoutRevision", "serving.knative.dev/v1 Service",
                 R"({"spec": {"template": {"metadata":
                     {"annotations": {"autoscaling.knative.dev/min-scale": "3"}}}}})",
                 "{}", "3", "", "pg-w-w-uid", "inference"},
        KindCase{"SpotRequest", "egx.nvidia.io/v1 SPOTRequest", "{}", "{}", "1", "", "pg-w-w-uid",
                 "inference"},
        KindCase{"RunaiJob", "run.ai/v1 RunaiJob", "{}", "{}", "1", "", "pg-p-w-uid"},
        KindCase{"AmlJob", "amlarc.azureml.com/v1alpha1 AmlJob",
                 R"({"spec": {"job": {"options": {"envs": {"AZUREML_NODE_COUNT": 4}}}}})", "{}", "4"},
        KindCase{"AmlJobWithoutNodes", "amlarc.azureml.com/v1alpha1 AmlJob", R"({"spec": {}})", "{}",
                 "spec.job.options.envs.AZUREML_NODE_COUNT: is missing"},
        KindCase{"Workflow", "argoproj.io/v1alpha1 Workflow", "{}", "{}", "1", "", "pg-p-p-uid"},
        KindCase{"SparkDriver", "sparkoperator.k8s.io/v1beta2 SparkApplication", "{}",
                 R"({"spark-app-name": "sums", "spark-app-selector": "spark-7f"})", "1", "", "spark-7f"},
        KindCase{"PodOfAnotherKindWithOneOfSparksLabels", "sparkoperator.k8s.io/v1beta2 SparkApplication",
                 "{}", R"({"spark-app-selector": "spark-7f"})", "1", "", "pg-p-p-uid"}),
    case_name);

// ---------------------------------------------------------------- kinds that depend on other objects

json pod_with(const char* labels) {
  json pod = object_from("v1 Pod", "p", "{}");
  pod["metadata"]["labels"] = json::parse(labels);
  return pod;
}

TEST(Kinds, OwnersWithoutARuleHandDownTheirQueue) {
  const json train_job = object_from("trainer.kubeflow.org/v1alpha1 TrainJob", "t",
                                     R"({"metadata": {"labels": {"kai.scheduler/queue": "lab-queue"}}})");
  const json set = object_from("jobset.x-k8s.io/v1alpha2 JobSet", "s",
                               R"({"spec": {"replicatedJobs": [{"name": "node"}]}})");
  const auto plan = plan_group(pod_with(R"({"jobset.sigs.k8s.io/replicatedjob-name": "node"})"),
                               {object_from("batch/v1 Job", "j", "{}"), set, train_job}, {});
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_EQ(text_at(plan->pod_group, "/metadata/name"), "pg-s-s-uid");
  EXPECT_EQ(text_at(plan->pod_group, "/spec/queue"), "lab-queue");
  EXPECT_EQ(plan->sub_group, "node-replica-0");
}

TEST(Kinds, TheRayClusterTakesPrecedenceOverItsJob) {
  const json job =
      object_from("ray.io/v1 RayJob", "j",
                  R"({"spec": {"submissionMode": "HTTPMode", "rayClusterSpec": {"workerGroupSpecs":
                                   [{"groupName": "a", "replicas": 1}]}}})");
  const json cluster = object_from("ray.io/v1 RayCluster", "c", R"({"spec": {"workerGroupSpecs":
                                   [{"groupName": "a", "replicas": 5}]}})");
  const auto plan = plan_group(pod_with(R"({"ray.io/group": "a"})"), {cluster, job}, {});
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_EQ(shape_of(plan->pod_group["spec"]), "2 of headgroup 1, a 5");
  EXPECT_EQ(text_at(plan->pod_group, "/metadata/name"), "pg-j-j-uid");
}

TEST(Kinds, RayGroupsStayCloseTogether) {
  const json cluster = object_from("ray.io/v1 RayCluster", "c", R"({"spec": {"workerGroupSpecs": [
      {"groupName": "a", "replicas": 1, "template": {"metadata": {"annotations": {
          "kai.scheduler/topology": "racks", "kai.scheduler/topology-preferred-placement": "rack"}}}}]}})");
  const auto plan = plan_group(pod_with(R"({"ray.io/group": "a"})"), {cluster}, {});
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_EQ(plan->pod_group["spec"]["subGroups"][1]["topologyConstraint"],
            json::parse(R"({"topology": "racks", "preferredTopologyLevel": "rack"})"));
}

TEST(Kinds, WorkersDoNotWaitForALauncherThatComesAfterThem) {
  const json job =
      object_from("kubeflow.org/v2beta1 MPIJob", "m",
                  R"({"spec": {"launcherCreationPolicy": "WaitForWorkersReady", "mpiReplicaSpecs":
                                   {"Launcher": {"replicas": 1}, "Worker": {"replicas": 4}}}})");
  const json worker = pod_with("{}");
  const auto asked = related_to(worker, {job});
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->kind, "Pod");
  EXPECT_EQ(asked->labels.at("training.kubeflow.org/job-name"), "m");
  const auto minimum = [&](const json& launchers) {
    return plan_group(worker, {job}, {}, launchers)->pod_group["spec"]["minMember"].get<int>();
  };
  EXPECT_EQ(minimum(json::parse(R"({"items": []})")), 4);
  EXPECT_EQ(minimum(json::parse(R"({"items": [{"metadata": {"name": "m-launcher"}}]})")), 5);
  EXPECT_EQ(
      minimum(json::parse(R"({"items": [{"metadata": {"deletionTimestamp": "2025-01-01T00:00:00Z"}}]})")), 4);
  EXPECT_EQ(minimum(nullptr), 5);
  EXPECT_FALSE(related_to(pod_with(R"({"training.kubeflow.org/job-role": "launcher"})"), {job}));
}

TEST(Kinds, ARevisionOfAKnativeServiceIsAGroup) {
  const json service = object_from("serving.knative.dev/v1 Service", "s",
                                   R"({"metadata": {"labels": {"kai.scheduler/queue": "web"}}})");
  const json revision =
      object_from("serving.knative.dev/v1 Revision", "s-00002",
                  R"({"metadata": {"annotations": {"autoscaling.knative.dev/min-scale": "2"}}})");
  const auto plan = plan_group(pod_with("{}"),
                               {object_from("apps/v1 ReplicaSet", "r", "{}"),
                                object_from("apps/v1 Deployment", "d", "{}"), revision, service},
                               {});
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_EQ(text_at(plan->pod_group, "/metadata/name"), "pg-s-00002-s-00002-uid");
  EXPECT_EQ(plan->pod_group["spec"],
            json::parse(R"({"minMember": 2, "queue": "web", "priorityClassName": "inference"})"));
  EXPECT_EQ(plan->pod_group["metadata"]["ownerReferences"][0]["kind"], "Revision");
}

TEST(Kinds, ExecutorsJoinTheirDriver) {
  const char* const labels = R"({"spark-app-name": "sums", "spark-app-selector": "spark-7f"})";
  json driver = object_from("v1 Pod", "driver", "{}");
  driver["metadata"]["labels"] = json::parse(labels);
  const auto of_driver = plan_group(driver, {}, {}), of_executor = plan_group(pod_with(labels), {driver}, {});
  ASSERT_TRUE(of_driver && of_executor);
  EXPECT_EQ(of_driver->pod_group, of_executor->pod_group);
}

// ---------------------------------------------------------------- Grove

const char* const kGang = R"({"metadata": {"annotations": {"grove.io/topology-name": "racks"}}, "spec": {
    "priorityClassName": "build",
    "topologyConstraint": {"packConstraint": {"preferred": "block"}},
    "topologyConstraintGroupConfigs": [{"name": "pair", "podGroupNames": ["prefill", "decode"],
        "topologyConstraint": {"packConstraint": {"required": "rack"}}}],
    "podgroups": [
      {"name": "prefill", "minReplicas": 2, "podReferences": [{"namespace": "lab", "name": "p"}]},
      {"name": "decode", "minReplicas": 4, "podReferences": []},
      {"name": "router", "minReplicas": 1, "podReferences": [{"namespace": "other", "name": "p"}]}]}})";

TEST(Kinds, GroveGangs) {
  const json set = object_from("grove.io/v1alpha1 PodCliqueSet", "s",
                               R"({"metadata": {"labels": {"kai.scheduler/queue": "serving"}}})");
  const json clique = object_from("grove.io/v1alpha1 PodClique", "c", "{}");
  const json pod = pod_with(R"({"grove.io/podgang": "gang-0", "grove.io/podclique": "decode"})");
  EXPECT_EQ(related_to(pod, {clique, set})->name, "gang-0");
  const json gang = object_from("scheduler.grove.io/v1alpha1 PodGang", "gang-0", kGang);
  const auto plan = plan_group(pod, {clique, set}, {}, gang);
  ASSERT_TRUE(plan) << plan.error().text();
  const json& spec = plan->pod_group["spec"];
  EXPECT_EQ(shape_of(spec), "2 of pair(prefill 2, decode 4), router 1");
  EXPECT_EQ(plan->sub_group, "prefill") << "the gang takes precedence over labels";
  EXPECT_EQ(text_at(plan->pod_group, "/metadata/name"), "pg-gang-0-gang-0-uid");
  EXPECT_EQ(text_at(spec, "/queue"), "serving");
  EXPECT_EQ(text_at(spec, "/priorityClassName"), "build");
  EXPECT_EQ(spec["topologyConstraint"],
            json::parse(R"({"topology": "racks", "preferredTopologyLevel": "block"})"));
  EXPECT_EQ(spec["subGroups"][0]["topologyConstraint"],
            json::parse(R"({"topology": "racks", "requiredTopologyLevel": "rack"})"));
}

TEST(Kinds, AMissingGangIsAnError) {
  const json set = object_from("grove.io/v1alpha1 PodCliqueSet", "s", "{}");
  const json pod = pod_with(R"({"grove.io/podgang": "gang-0"})");
  EXPECT_EQ(plan_group(pod, {set}, {}).error().text(), "PodGang \"gang-0\" does not exist");
  EXPECT_EQ(plan_group(pod_with("{}"), {set}, {}).error().text(),
            "label grove.io/podgang of the pod: is missing");
  const auto of = [&](const char* gang) {
    return plan_group(pod, {set}, {}, object_from("scheduler.grove.io/v1alpha1 PodGang", "gang-0", gang))
        .error()
        .text();
  };
  EXPECT_EQ(of("{}"), "spec.podgroups: is missing");
  EXPECT_EQ(of(R"({"spec": {"podgroups": [{"name": "a", "minReplicas": 0}]}})"),
            "spec.podgroups[0].minReplicas: must be at least 1");
  EXPECT_EQ(of(R"({"spec": {"podgroups": [{"name": "a", "minReplicas": 1}]}})"),
            "the pod belongs to sub group \"\", which PodCliqueSet s does not have");
}

TEST(Kinds, FieldsOfAnyTypeAreHandled) {
  const char* const kKinds[] = {kTf,
                                kXgb,
                                kJax,
                                kMpi,
                                kLws,
                                "ray.io/v1 RayCluster",
                                "ray.io/v1 RayJob",
                                "ray.io/v1 RayService",
                                "grove.io/v1alpha1 PodCliqueSet",
                                "serving.knative.dev/v1 Service",
                                "amlarc.azureml.com/v1alpha1 AmlJob"};
  for (const char* spec :
       {"null", "[]", "7", R"({"tfReplicaSpecs": [1]})",
        R"({"mpiReplicaSpecs": {"Launcher": 1, "Worker": null}})",
        R"({"leaderWorkerTemplate": {"size": "five"}})",
        R"({"workerGroupSpecs": [null, 3, {"replicas": -1}]})",
        R"({"rayClusterSpec": {"workerGroupSpecs": {"a": 1}, "headGroupSpec": []}})",
        R"({"podgroups": [1, null], "topologyConstraintGroupConfigs": [{"podGroupNames": [1]}]})"})
    for (const char* kind : kKinds) {
      json workload = object_from(kind, "w", "{}");
      workload["spec"] = json::parse(spec);
      const auto plan = plan_group(pod_with(kFirst), {workload}, {}, workload);
      EXPECT_TRUE(!plan || plan->pod_group.is_object());
    }
}

}  // namespace
}  // namespace muster::grouper
