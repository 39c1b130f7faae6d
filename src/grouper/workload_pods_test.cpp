// How many pods each kind of workload gets, and what they look like.
#include "grouper/workload_pods.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::grouper {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A workload "w" in namespace "lab" with an abbreviated spec: T is replaced by a pod template.
json workload(const std::string& api_version, const std::string& kind, std::string spec) {
  const std::string pod_template =
      R"( {"metadata": {"labels": {"app": "x"}, "annotations": {"a": "b"}},
          "spec": {"schedulerName": "kai-scheduler", "containers": [{"name": "main"}]}})";
  for (std::size_t at = 0; (at = spec.find(" T", at)) != std::string::npos; at += pod_template.size())
    spec.replace(at, 2, pod_template);
  return {{"apiVersion", api_version},
          {"kind", kind},
          {"metadata", {{"name", "w"}, {"namespace", "lab"}, {"uid", "u"}}},
          {"spec", json::parse(spec)}};
}

struct Case {
  const char *api_version, *kind, *spec;
  std::vector<std::string> names;
  const char* why_none = "";
};

std::vector<std::string> names_of(const MissingPods& missing) {
  std::vector<std::string> names;
  for (const MadePod& made : missing.pods) names.push_back(made.pod["metadata"]["name"]);
  return names;
}

class WorkloadPods : public testing::TestWithParam<Case> {};

TEST_P(WorkloadPods, AreThoseOfTheController) {
  const Case& c = GetParam();
  ASSERT_TRUE(makes_pods(c.api_version, c.kind));
  const auto missing = missing_pods(workload(c.api_version, c.kind, c.spec), {});
  ASSERT_TRUE(missing) << missing.error().text();
  EXPECT_EQ(names_of(*missing), c.names);
  EXPECT_EQ(missing->why_none, c.why_none);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, WorkloadPods,
    testing::Values(
        Case{"apps/v1", "Deployment", R"({"replicas": 2, "template": T})", {"w-0", "w-1"}},
        Case{"apps/v1", "Deployment", R"({"template": T})", {"w-0"}},
        Case{"apps/v1", "Deployment", R"({"replicas": null, "template": T})", {"w-0"}},
        Case{"apps/v1", "Deployment", R"({"replicas": 0, "template": T})", {}, "no pods requested"},
        Case{"apps/v1", "Deployment", R"({"paused": true, "template": T})", {}, "paused"},
        Case{"apps/v1", "Deployment", R"({"replicas": 2})", {}, "no spec.template.spec"},
        Case{"apps/v1", "ReplicaSet", R"({"replicas": 2, "template": T})", {"w-0", "w-1"}},
        Case{"v1", "ReplicationController", R"({"replicas": 1, "template": T})", {"w-0"}},
        Case{"apps/v1", "StatefulSet", R"({"replicas": 2, "template": T})", {"w-0", "w-1"}},
        Case{"apps/v1",
             "StatefulSet",
             R"({"replicas": 2, "ordinals": {"start": 5}, "template": T})",
             {"w-5", "w-6"}},
        Case{"apps/v1", "DaemonSet", R"({"template": T})", {}, "pods of DaemonSets are not created"}));

INSTANTIATE_TEST_SUITE_P(
    Batch, WorkloadPods,
    testing::Values(
        Case{"batch/v1", "Job", R"({"template": T})", {"w-0"}},
        Case{"batch/v1", "Job", R"({"parallelism": 2, "template": T})", {"w-0", "w-1"}},
        Case{"batch/v1", "Job", R"({"parallelism": 3, "completions": 2, "template": T})", {"w-0", "w-1"}},
        Case{"batch/v1", "Job", R"({"completions": 5, "template": T})", {"w-0"}},
        Case{"batch/v1", "Job", R"({"parallelism": 1000000, "completions": 1, "template": T})", {"w-0"}},
        Case{"batch/v1", "Job", R"({"parallelism": 0, "template": T})", {}, "no pods requested"},
        Case{"batch/v1", "Job", R"({"suspend": true, "template": T})", {}, "suspended"},
        Case{"batch/v1", "CronJob", R"({"schedule": "@daily"})", {}, "its runs are separate Jobs"},
        Case{"jobset.x-k8s.io/v1alpha2",
             "JobSet",
             R"({"replicatedJobs": [{"name": "head", "template": {"spec": {"template": T}}},
                 {"name": "work", "replicas": 2, "template": {"spec": {"parallelism": 2, "completions": 2,
                                                                       "template": T}}}]})",
             {"w-head-0-0", "w-work-0-0", "w-work-0-1", "w-work-1-0", "w-work-1-1"}},
        Case{"jobset.x-k8s.io/v1alpha2", "JobSet", R"({"suspend": true})", {}, "suspended"}));

INSTANTIATE_TEST_SUITE_P(
    Others, WorkloadPods,
    testing::Values(
        Case{
            "kubeflow.org/v1",
            "PyTorchJob",
            R"({"pytorchReplicaSpecs": {"Master": {"template": T}, "Worker": {"replicas": 2, "template": T}}})",
            {"w-master-0", "w-worker-0", "w-worker-1"}},
        Case{"kubeflow.org/v1", "PyTorchJob", R"({"runPolicy": {"suspend": true}})", {}, "suspended"},
        Case{"kubeflow.org/v1",
             "TFJob",
             R"({"tfReplicaSpecs": {"PS": {"template": T}, "Worker": {"replicas": 2, "template": T}}})",
             {"w-ps-0", "w-worker-0", "w-worker-1"}},
        Case{"kubeflow.org/v2beta1",
             "MPIJob",
             R"({"mpiReplicaSpecs": {"Launcher": {"template": T}, "Worker": {"template": T}}})",
             {"w-launcher-0", "w-worker-0"}},
        Case{"ray.io/v1",
             "RayCluster",
             R"({"headGroupSpec": {"template": T}, "workerGroupSpecs": [
                 {"groupName": "a", "replicas": 9, "maxReplicas": 1, "numOfHosts": 2, "template": T},
                 {"groupName": "b", "minReplicas": 1, "template": T},
                 {"groupName": "c", "replicas": 5, "suspend": true, "template": T}]})",
             {"w-head-0", "w-a-worker-0", "w-a-worker-1", "w-b-worker-0"}},
        Case{
            "ray.io/v1", "RayJob", R"({"rayClusterSpec": {"headGroupSpec": {"template": T}}})", {"w-head-0"}},
        Case{
            "ray.io/v1", "RayJob", R"({"clusterSelector": {}})", {}, "runs on the cluster of another object"},
        Case{"ray.io/v1", "RayJob", R"({"suspend": true})", {}, "suspended"},
        Case{"ray.io/v1",
             "RayService",
             R"({"rayClusterConfig": {"headGroupSpec": {"template": T}}})",
             {"w-head-0"}},
        Case{"leaderworkerset.x-k8s.io/v1",
             "LeaderWorkerSet",
             R"({"replicas": 2, "leaderWorkerTemplate": {"size": 3, "workerTemplate": T}})",
             {"w-0", "w-0-1", "w-0-2", "w-1", "w-1-1", "w-1-2"}},
        Case{"argoproj.io/v1alpha1", "Workflow", "{}", {}, "its operator decides which pods to create"},
        Case{"kubeflow.org/v1", "Notebook", R"({"template": T})", {"w-0"}},
        Case{"serving.knative.dev/v1", "Service", R"({"template": T})", {"w-0"}}));

TEST(WorkloadPods, OtherKindsAreUnknown) {
  EXPECT_FALSE(makes_pods("example.com/v1", "Job"));
  EXPECT_FALSE(makes_pods("v1", "Service"));
}

TEST(WorkloadPods, LookLikeTheTemplate) {
  json job = workload("batch/v1", "Job", R"({"completionMode": "Indexed", "template": T})");
  job["metadata"]["creationTimestamp"] = "2025-06-01T10:00:00Z";
  const auto missing = missing_pods(job, {});
  ASSERT_TRUE(missing);
  EXPECT_THAT(missing->schedulers, ElementsAre("kai-scheduler"));
  EXPECT_EQ(missing->pods[0].template_path, "spec.template");
  EXPECT_EQ(missing->pods[0].pod, json::parse(R"({"apiVersion": "v1", "kind": "Pod",
    "metadata": {"name": "w-0", "namespace": "lab", "creationTimestamp": "2025-06-01T10:00:00Z",
      "labels": {"app": "x", "job-name": "w", "batch.kubernetes.io/job-name": "w",
                 "batch.kubernetes.io/job-completion-index": "0"},
      "annotations": {"a": "b"},
      "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "w", "uid": "u",
                           "controller": true}]},
    "spec": {"schedulerName": "kai-scheduler", "containers": [{"name": "main"}]}})"));
}

TEST(WorkloadPods, OnlyMissingPodsAreCreated) {
  const json set = workload("apps/v1", "ReplicaSet", R"({"replicas": 3, "template": T})");
  EXPECT_THAT(names_of(*missing_pods(set, {{"w-0"}, {"w-x7f2k"}})), ElementsAre("w-1"));
  EXPECT_THAT(names_of(*missing_pods(set, {{"w-a"}, {"w-b"}, {"w-c"}, {"w-d"}})), IsEmpty());
  EXPECT_THAT(names_of(*missing_pods(set, {{"w-0", true}, {"w-a"}, {"w-b"}})), ElementsAre("w-1"));
  const json ordered = workload("apps/v1", "StatefulSet", R"({"replicas": 3, "template": T})");
  EXPECT_THAT(names_of(*missing_pods(ordered, {{"w-1"}})), ElementsAre("w-0", "w-2"));
}

TEST(WorkloadPods, FinishedPodsOfAJobAreNotCreatedAgain) {
  json job = workload("batch/v1", "Job", R"({"parallelism": 3, "completions": 5, "template": T})");
  EXPECT_THAT(names_of(*missing_pods(job, {{"w-0", true, true}, {"w-1", true, true}, {"w-2", true, true}})),
              ElementsAre("w-3", "w-4"));
  job["status"] = {{"succeeded", 4}};
  EXPECT_THAT(names_of(*missing_pods(job, {})), ElementsAre("w-0"));
  job["status"]["conditions"] = {{{"type", "Complete"}, {"status", "True"}}};
  EXPECT_EQ(missing_pods(job, {})->why_none, "already finished");
}

std::string problem(const json& workload) {
  const auto missing = missing_pods(workload, {});
  return missing ? "" : missing.error().text();
}

TEST(WorkloadPods, InvalidCountsAreErrorsOfTheirField) {
  const auto of_replicas = [](const std::string& count) {
    return problem(workload("apps/v1", "Deployment", R"({"replicas": )" + count + R"(, "template": T})"));
  };
  EXPECT_EQ(of_replicas("10000"), "");
  EXPECT_EQ(of_replicas("10001"),
            "spec.replicas: requests 10001 pods; at most 10000 are created per workload");
  EXPECT_THAT(of_replicas("18446744073709551615"), HasSubstr("spec.replicas: requests 9223372036854775807"));
  EXPECT_EQ(of_replicas("-1"), "spec.replicas: -1 is negative");
  EXPECT_EQ(of_replicas("\"two\""), "spec.replicas: \"two\" is not a whole number");
  EXPECT_EQ(of_replicas("1.5"), "spec.replicas: 1.5 is not a whole number");
  EXPECT_EQ(problem(workload("batch/v1", "Job", R"({"parallelism": 20000, "template": T})")),
            "spec.parallelism: requests 20000 pods; at most 10000 are created per workload");
  EXPECT_EQ(problem(workload("batch/v1", "Job", R"({"completions": -2, "template": T})")),
            "spec.completions: -2 is negative");
  EXPECT_THAT(problem(workload("jobset.x-k8s.io/v1alpha2", "JobSet",
                               R"({"replicatedJobs": [{"name": "a", "replicas": 9000000000000000000,
                                   "template": {"spec": {"parallelism": 4, "template": T}}}]})")),
              HasSubstr("spec.replicatedJobs[0].replicas: requests"));
  EXPECT_THAT(problem(workload("kubeflow.org/v1", "PyTorchJob",
                               R"({"pytorchReplicaSpecs": {"Master": {"replicas": 6000, "template": T},
                                                           "Worker": {"replicas": 6000, "template": T}}})")),
              HasSubstr("spec.pytorchReplicaSpecs.Worker.replicas: requests"));
}

TEST(WorkloadPods, RayGroupsAndLeaderReplicasAreLimited) {
  EXPECT_EQ(problem(workload("ray.io/v1", "RayCluster",
                             R"({"headGroupSpec": {"template": T}, "workerGroupSpecs": [
                                 {"replicas": 6000, "template": T}, {"replicas": 6000, "template": T}]})")),
            "spec.workerGroupSpecs[1].replicas: requests 12001 pods; at most 10000 are created per workload");
  EXPECT_THAT(problem(workload("ray.io/v1", "RayCluster",
                               R"({"workerGroupSpecs": [{"minReplicas": 9223372036854775807}]})")),
              HasSubstr("spec.workerGroupSpecs[0].replicas: requests"));
  EXPECT_EQ(problem(workload("ray.io/v1", "RayCluster", R"({"workerGroupSpecs": [{"replicas": "two"}]})")),
            "spec.workerGroupSpecs[0].replicas: \"two\" is not a whole number");
  const auto of_set = [](const std::string& replicas, const std::string& size) {
    return problem(workload("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet",
                            R"({"replicas": )" + replicas + R"(, "leaderWorkerTemplate": {"size": )" + size +
                                R"(, "workerTemplate": T}})"));
  };
  EXPECT_EQ(of_set("100", "100"), "");
  EXPECT_EQ(of_set("101", "100"),
            "spec.replicas: requests 10100 pods; at most 10000 are created per workload");
  EXPECT_THAT(of_set("9223372036854775807", "2"), HasSubstr("spec.replicas: requests"));
  EXPECT_EQ(of_set("1", "0"), "spec.leaderWorkerTemplate.size: must be at least 1");
}

TEST(WorkloadPods, ARayHeadWithoutANumberCounts) {
  const json cluster = workload("ray.io/v1", "RayCluster", R"({"headGroupSpec": {"template": T}})");
  EXPECT_THAT(names_of(*missing_pods(cluster, {{"w-head"}})), IsEmpty());
  EXPECT_THAT(names_of(*missing_pods(cluster, {{"w-head-x7f2k"}})), IsEmpty());
  EXPECT_THAT(names_of(*missing_pods(cluster, {{"w-head", true}})), ElementsAre("w-head-0"));
}

TEST(WorkloadPods, FieldsOfAnyTypeAreHandled) {
  for (const char* spec :
       {"null", "[]", "7", R"({"headGroupSpec": 1, "workerGroupSpecs": [7, null]})",
        R"({"leaderWorkerTemplate": []})", R"({"template": 3})", R"({"template": {"spec": []}})",
        R"({"replicatedJobs": [1, null, {"template": []}]})",
        R"({"pytorchReplicaSpecs": {"Master": [], "Worker": {"template": 1}}})"})
    for (const auto& [version, kind] :
         {std::pair("apps/v1", "Deployment"), std::pair("batch/v1", "Job"),
          std::pair("jobset.x-k8s.io/v1alpha2", "JobSet"), std::pair("kubeflow.org/v1", "PyTorchJob"),
          std::pair("kubeflow.org/v1", "Notebook"), std::pair("ray.io/v1", "RayCluster"),
          std::pair("ray.io/v1", "RayJob"), std::pair("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet"),
          std::pair("kubeflow.org/v1", "TFJob"), std::pair("serving.knative.dev/v1", "Service")}) {
      json object = workload(version, kind, "{}");
      object["spec"] = json::parse(spec);
      object["status"] = json::parse(spec);
      const auto missing = missing_pods(object, {});
      EXPECT_TRUE(!missing || missing->pods.empty()) << kind << spec;
    }
}

}  // namespace
}  // namespace muster::grouper
