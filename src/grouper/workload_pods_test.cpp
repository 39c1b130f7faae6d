// How many pods each kind of workload gets, and what they look like.
#include "grouper/workload_pods.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::grouper {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A workload "w" in namespace "lab" from its spec in short: T stands for a pod template.
json workload(const std::string& api_version, const std::string& kind, std::string spec) {
  const std::string pod_template =
      R"({"metadata": {"labels": {"app": "x"}, "annotations": {"a": "b"}},
          "spec": {"schedulerName": "kai-scheduler", "containers": [{"name": "main"}]}})";
  for (std::size_t at = 0; (at = spec.find('T', at)) != std::string::npos; at += pod_template.size())
    spec.replace(at, 1, pod_template);
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
        Case{"apps/v1", "Deployment", R"({"replicas": 0, "template": T})", {}, "no pods wanted"},
        Case{"apps/v1", "Deployment", R"({"paused": true, "template": T})", {}, "paused"},
        Case{"apps/v1", "Deployment", R"({"replicas": 2})", {}, "no spec.template.spec"},
        Case{"apps/v1", "ReplicaSet", R"({"replicas": 2, "template": T})", {"w-0", "w-1"}},
        Case{"v1", "ReplicationController", R"({"replicas": 1, "template": T})", {"w-0"}},
        Case{"apps/v1", "StatefulSet", R"({"replicas": 2, "template": T})", {"w-0", "w-1"}},
        Case{"apps/v1",
             "StatefulSet",
             R"({"replicas": 2, "ordinals": {"start": 5}, "template": T})",
             {"w-5", "w-6"}},
        Case{"apps/v1", "DaemonSet", R"({"template": T})", {}, "pods for every node are not made"}));

INSTANTIATE_TEST_SUITE_P(
    Batch, WorkloadPods,
    testing::Values(
        Case{"batch/v1", "Job", R"({"template": T})", {"w-0"}},
        Case{"batch/v1", "Job", R"({"parallelism": 2, "template": T})", {"w-0", "w-1"}},
        Case{"batch/v1", "Job", R"({"parallelism": 3, "completions": 2, "template": T})", {"w-0", "w-1"}},
        Case{"batch/v1", "Job", R"({"completions": 5, "template": T})", {"w-0"}},
        Case{"batch/v1", "Job", R"({"parallelism": 1000000, "completions": 1, "template": T})", {"w-0"}},
        Case{"batch/v1", "Job", R"({"parallelism": 0, "template": T})", {}, "no pods wanted"},
        Case{"batch/v1", "Job", R"({"suspend": true, "template": T})", {}, "suspended"},
        Case{"batch/v1", "CronJob", R"({"schedule": "@daily"})", {}, "its runs are Jobs of their own"},
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
        Case{"kubeflow.org/v1", "Notebook", R"({"template": T})", {"w-0"}},
        Case{"ray.io/v1",
             "RayCluster",
             R"({"headGroupSpec": {"template": T}, "workerGroupSpecs": [
                 {"groupName": "a", "replicas": 2, "template": T}, {"replicas": 1, "numOfHosts": 2, "template": T},
                 {"groupName": "none", "template": T}, {"replicas": 3, "suspend": true, "template": T}]})",
             {"w-head-0", "w-a-worker-0", "w-a-worker-1", "w-worker-group-1-worker-0",
              "w-worker-group-1-worker-1"}},
        Case{"ray.io/v1",
             "RayCluster",
             R"({"suspend": true, "headGroupSpec": {"template": T}})",
             {},
             "suspended"},
        Case{"serving.knative.dev/v1", "Service", R"({"template": T})", {"w-0"}}));

TEST(WorkloadPods, ARowPerKind) {
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

TEST(WorkloadPods, OnlyThoseThatAreMissingAreMade) {
  const json set = workload("apps/v1", "ReplicaSet", R"({"replicas": 3, "template": T})");
  EXPECT_THAT(names_of(*missing_pods(set, {{"w-0"}, {"w-x7f2k"}})), ElementsAre("w-1"));
  EXPECT_THAT(names_of(*missing_pods(set, {{"w-a"}, {"w-b"}, {"w-c"}, {"w-d"}})), IsEmpty());
  EXPECT_THAT(names_of(*missing_pods(set, {{"w-0", true}, {"w-a"}, {"w-b"}})), ElementsAre("w-1"));
  const json ordered = workload("apps/v1", "StatefulSet", R"({"replicas": 3, "template": T})");
  EXPECT_THAT(names_of(*missing_pods(ordered, {{"w-1"}})), ElementsAre("w-0", "w-2"));
}

TEST(WorkloadPods, WhatAJobHasDoneIsNotDoneAgain) {
  json job = workload("batch/v1", "Job", R"({"parallelism": 3, "completions": 5, "template": T})");
  EXPECT_THAT(names_of(*missing_pods(job, {{"w-0", true, true}, {"w-1", true, true}, {"w-2", true, true}})),
              ElementsAre("w-3", "w-4"));
  job["status"] = {{"succeeded", 4}};
  EXPECT_THAT(names_of(*missing_pods(job, {})), ElementsAre("w-0"));
  job["status"]["conditions"] = {{{"type", "Complete"}, {"status", "True"}}};
  EXPECT_EQ(missing_pods(job, {})->why_none, "ended already");
}

std::string problem(const json& workload) {
  const auto missing = missing_pods(workload, {});
  return missing ? "" : missing.error().text();
}

TEST(WorkloadPods, CountsThatMakeNoSenseAreErrorsOfTheirField) {
  const auto of_replicas = [](const std::string& count) {
    return problem(workload("apps/v1", "Deployment", R"({"replicas": )" + count + R"(, "template": T})"));
  };
  EXPECT_EQ(of_replicas("10000"), "");
  EXPECT_EQ(of_replicas("10001"),
            "spec.replicas: asks for 10001 pods; at most 10000 of one workload are made");
  EXPECT_THAT(of_replicas("18446744073709551615"), HasSubstr("spec.replicas: asks for 9223372036854775807"));
  EXPECT_EQ(of_replicas("-1"), "spec.replicas: -1 is negative");
  EXPECT_EQ(of_replicas("\"two\""), "spec.replicas: \"two\" is no count");
  EXPECT_EQ(of_replicas("1.5"), "spec.replicas: 1.5 is no count");
  EXPECT_EQ(problem(workload("batch/v1", "Job", R"({"parallelism": 20000, "template": T})")),
            "spec.parallelism: asks for 20000 pods; at most 10000 of one workload are made");
  EXPECT_EQ(problem(workload("batch/v1", "Job", R"({"completions": -2, "template": T})")),
            "spec.completions: -2 is negative");
  EXPECT_THAT(problem(workload("jobset.x-k8s.io/v1alpha2", "JobSet",
                               R"({"replicatedJobs": [{"name": "a", "replicas": 9000000000000000000,
                                   "template": {"spec": {"parallelism": 4, "template": T}}}]})")),
              HasSubstr("spec.replicatedJobs[0].replicas: asks for"));
  EXPECT_THAT(problem(workload("kubeflow.org/v1", "PyTorchJob",
                               R"({"pytorchReplicaSpecs": {"Master": {"replicas": 6000, "template": T},
                                                           "Worker": {"replicas": 6000, "template": T}}})")),
              HasSubstr("spec.pytorchReplicaSpecs.Worker.replicas: asks for"));
}

TEST(WorkloadPods, MembersOfAnyTypeDoNoHarm) {
  for (const char* spec : {"null", "[]", "7", R"({"template": 3})", R"({"template": {"spec": []}})",
                           R"({"replicatedJobs": [1, null, {"template": []}]})",
                           R"({"pytorchReplicaSpecs": {"Master": [], "Worker": {"template": 1}}})"})
    for (const auto& [version, kind] :
         {std::pair("apps/v1", "Deployment"), std::pair("batch/v1", "Job"),
          std::pair("jobset.x-k8s.io/v1alpha2", "JobSet"), std::pair("kubeflow.org/v1", "PyTorchJob"),
          std::pair("kubeflow.org/v1", "Notebook"), std::pair("serving.knative.dev/v1", "Service")}) {
      json object = workload(version, kind, "{}");
      object["spec"] = json::parse(spec);
      object["status"] = json::parse(spec);
      const auto missing = missing_pods(object, {});
      EXPECT_TRUE(!missing || missing->pods.empty()) << kind << spec;
    }
}

}  // namespace
}  // namespace muster::grouper
