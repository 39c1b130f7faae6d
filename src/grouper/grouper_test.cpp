// PodGroups for all sorts of workloads.
#include "grouper/grouper.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::grouper {
namespace {

json object(const std::string& api_version, const std::string& kind, const std::string& name,
            json spec = json::object()) {
  return {{"apiVersion", api_version},
          {"kind", kind},
          {"metadata",
           {{"name", name},
            {"namespace", "lab"},
            {"uid", name + "-uid"},
            {"labels", json::object()},
            {"annotations", json::object()}}},
          {"spec", std::move(spec)}};
}

json pod(json labels = json::object()) {
  json result = object("v1", "Pod", "p");
  result["metadata"]["labels"] = std::move(labels);
  return result;
}

GroupPlan plan(const json& of, const std::vector<json>& owners) {
  auto result = plan_group(of, owners, {});
  EXPECT_TRUE(result) << (result ? "" : result.error().text());
  return result ? *result : GroupPlan{};
}

std::string name_of(const GroupPlan& plan) { return plan.pod_group["metadata"]["name"]; }

TEST(Grouper, ALonePodIsItsOwnGroup) {
  const GroupPlan g = plan(pod(), {});
  EXPECT_EQ(name_of(g), "pg-p-p-uid");
  EXPECT_EQ(g.pod_group["spec"],
            (json{{"minMember", 1}, {"queue", "default-queue"}, {"priorityClassName", "train"}}));
  EXPECT_EQ(g.pod_group["metadata"]["ownerReferences"][0]["kind"], "Pod");
}

TEST(Grouper, PodsOfAJobShareAGroup) {
  json job = object("batch/v1", "Job", "j");
  EXPECT_EQ(name_of(plan(pod(), {job})), "pg-j-j-uid");
  job["metadata"]["annotations"]["kai.scheduler/batch-min-member"] = "4";
  EXPECT_EQ(plan(pod(), {job}).pod_group["spec"]["minMember"], 4);
  job["metadata"]["annotations"]["kai.scheduler/batch-min-member"] = "many";
  EXPECT_FALSE(plan_group(pod(), {job}, {}));
}

TEST(Grouper, EachJobOfACronJobIsAGroup) {
  json job = object("batch/v1", "Job", "j");
  job["metadata"]["ownerReferences"] = {{{"kind", "CronJob"}}};
  job["metadata"]["annotations"]["kai.scheduler/batch-min-member"] = "4";
  json cron = object("batch/v1", "CronJob", "c");
  cron["metadata"]["labels"]["kai.scheduler/queue"] = "nightly";
  const GroupPlan g = plan(pod(), {job, cron});
  EXPECT_EQ(name_of(g), "pg-j-j-uid");
  EXPECT_EQ(g.pod_group["spec"]["minMember"], 1);
  EXPECT_EQ(g.pod_group["metadata"]["labels"]["kai.scheduler/queue"], "nightly");
}

TEST(Grouper, EachPodOfADeploymentIsAGroup) {
  const json set = object("apps/v1", "ReplicaSet", "r");
  json deployment = object("apps/v1", "Deployment", "d");
  deployment["metadata"]["labels"]["kai.scheduler/queue"] = "web";
  const GroupPlan g = plan(pod(), {set, deployment});
  EXPECT_EQ(name_of(g), "pg-p-p-uid");
  EXPECT_EQ(g.pod_group["spec"]["queue"], "web");
  EXPECT_EQ(g.pod_group["spec"]["priorityClassName"], "inference");
}

TEST(Grouper, OtherKindsAreOneGroupPerOwner) {
  EXPECT_EQ(name_of(plan(pod(), {object("apps/v1", "StatefulSet", "s")})), "pg-s-s-uid");
  EXPECT_EQ(name_of(plan(pod(), {object("apps/v1", "ReplicaSet", "r")})), "pg-r-r-uid");
  EXPECT_EQ(name_of(plan(pod(), {object("example.com/v1", "Thing", "t")})), "pg-t-t-uid");
}

TEST(Grouper, Queue) {
  json job = object("batch/v1", "Job", "j");
  EXPECT_EQ(plan(pod({{"kai.scheduler/queue", "a"}}), {job}).pod_group["spec"]["queue"], "a");
  EXPECT_EQ(plan(pod({{"project", "p"}, {"kai.scheduler/node-pool", "x"}}), {job}).pod_group["spec"]["queue"],
            "p-x");
  job["metadata"]["labels"]["kai.scheduler/queue"] = "b";
  EXPECT_EQ(plan(pod({{"kai.scheduler/queue", "a"}}), {job}).pod_group["spec"]["queue"], "b");
}

TEST(Grouper, PriorityClassMustExist) {
  const GroupingOptions options{
      .has_priority_class = [](const std::string& name) { return name == "build"; }};
  const auto class_for = [&](json labels) {
    return plan_group(pod(std::move(labels)), {}, options)->pod_group["spec"]["priorityClassName"];
  };
  EXPECT_EQ(class_for({{"priorityClassName", "build"}}), "build");
  EXPECT_EQ(class_for({{"priorityClassName", "unknown"}}), "train");
}

TEST(Grouper, PreemptibilityAndDelaysAreInherited) {
  json set = object("apps/v1", "ReplicaSet", "r"), thing = object("example.com/v1", "Thing", "t");
  set["metadata"]["labels"]["kai.scheduler/preemptibility"] = "semi-preemptible";
  thing["metadata"]["labels"]["kai.scheduler/preemptibility"] = "bogus";  // invalid, so skipped
  thing["metadata"]["annotations"] = {{"kai.scheduler/preemption-delay", "10m"},
                                      {"kai.scheduler/staleness-grace-period", "-1s"},
                                      {"kai.scheduler/expected-runtime", "2h"},
                                      {"kubectl.kubernetes.io/last-applied-configuration", "{}"}};
  const json g = plan(pod(), {set, thing}).pod_group;
  EXPECT_EQ(g["spec"]["preemptibility"], "semi-preemptible");
  EXPECT_EQ(g["spec"]["preemptionDelay"], "10m");
  EXPECT_EQ(g["spec"]["stalenessGracePeriod"], "-1s");
  EXPECT_EQ(g["metadata"]["annotations"]["kai.scheduler/expected-runtime"], "2h");
  EXPECT_FALSE(g["metadata"]["annotations"].contains("kubectl.kubernetes.io/last-applied-configuration"));
}

TEST(Grouper, PreemptibilityOfTheTopOwnerComesFirst) {
  json set = object("apps/v1", "ReplicaSet", "r"), thing = object("example.com/v1", "Thing", "t");
  const auto planned = [&](const char* near, const char* top, const char* own) {
    set["metadata"]["labels"] = {{"kai.scheduler/preemptibility", near}};
    thing["metadata"]["labels"] = {{"kai.scheduler/preemptibility", top}};
    const json spec = plan(pod({{"kai.scheduler/preemptibility", own}}), {set, thing}).pod_group["spec"];
    return spec.value("preemptibility", "");
  };
  EXPECT_EQ(planned("preemptible", "Non-Preemptible", "preemptible"), "non-preemptible");
  EXPECT_EQ(planned("PREEMPTIBLE", "", "non-preemptible"), "preemptible");
  EXPECT_EQ(planned("", "", "Semi-preemptible"), "semi-preemptible");
  EXPECT_EQ(planned("no", "never", "maybe"), "");
}

TEST(Grouper, PyTorchJob) {
  const json job =
      object("kubeflow.org/v1", "PyTorchJob", "t",
             {{"pytorchReplicaSpecs", {{"Master", {{"replicas", 1}}}, {"Worker", {{"replicas", 3}}}}}});
  const GroupPlan g = plan(pod({{"training.kubeflow.org/replica-type", "worker"}}), {job});
  EXPECT_EQ(g.sub_group, "worker");
  EXPECT_EQ(g.pod_group["spec"]["subGroups"],
            json::parse(R"([{"name": "master", "minMember": 1}, {"name": "worker", "minMember": 3}])"));
  EXPECT_EQ(plan(pod({{"training.kubeflow.org/replica-type", "master"}}), {job}).sub_group, "master");
}

TEST(Grouper, PyTorchJobInSegments) {
  json job = object(
      "kubeflow.org/v1", "PyTorchJob", "t",
      {{"pytorchReplicaSpecs", {{"Worker", {{"replicas", 5}}}}}, {"elasticPolicy", {{"minReplicas", 2}}}});
  job["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["metadata"]["annotations"]
     ["kai.scheduler/segment-size"] = "2";
  const GroupPlan g = plan(pod({{"training.kubeflow.org/replica-index", "3"}}), {job});
  EXPECT_EQ(g.sub_group, "worker-1");
  EXPECT_EQ(g.pod_group["spec"]["subGroups"], json::parse(R"([
      {"name": "worker", "minSubGroup": 1}, {"name": "worker-0", "parent": "worker", "minMember": 2},
      {"name": "worker-1", "parent": "worker", "minMember": 0}, {"name": "worker-2", "parent": "worker", "minMember": 0}])"));
}

TEST(Grouper, JobSet) {
  const json set = object("jobset.x-k8s.io/v1alpha2", "JobSet", "s", json::parse(R"({"replicatedJobs": [
      {"name": "driver"}, {"name": "work", "replicas": 2, "template": {"spec": {"parallelism": 4}}}]})"));
  const GroupPlan g = plan(
      pod({{"jobset.sigs.k8s.io/replicatedjob-name", "work"}, {"jobset.sigs.k8s.io/job-index", "1"}}), {set});
  EXPECT_EQ(g.sub_group, "work-replica-1");
  EXPECT_EQ(g.pod_group["spec"]["minSubGroup"], 2);
  EXPECT_EQ(g.pod_group["spec"]["subGroups"], json::parse(R"([
      {"name": "driver", "minSubGroup": 1}, {"name": "driver-replica-0", "parent": "driver", "minMember": 1},
      {"name": "work", "minSubGroup": 2}, {"name": "work-replica-0", "parent": "work", "minMember": 4},
      {"name": "work-replica-1", "parent": "work", "minMember": 4}])"));
}

TEST(Grouper, AnUpdateLeavesTheQueueAlone) {
  const json update = update_of(plan(pod(), {}).pod_group);
  EXPECT_FALSE(update["spec"].contains("queue"));
  EXPECT_EQ(update["spec"]["minMember"], 1);
}

TEST(Grouper, SiblingsDifferInTheirSubGroupOnly) {
  json set = object("jobset.x-k8s.io/v1alpha2", "JobSet", "s");
  set["spec"] = json::parse(R"({"replicatedJobs": [{"name": "work", "replicas": 3}]})");
  const json second =
      pod({{"jobset.sigs.k8s.io/replicatedjob-name", "work"}, {"jobset.sigs.k8s.io/job-index", "1"}});
  EXPECT_EQ(sub_group_of_sibling(second, {set}), "work-replica-1");
  EXPECT_EQ(plan(second, {set}).sub_group, "work-replica-1");
  EXPECT_EQ(sub_group_of_sibling(pod(), {object("batch/v1", "Job", "j")}), "");
  EXPECT_EQ(sub_group_of_sibling(pod(), {object("apps/v1", "Deployment", "d")}), std::nullopt);
  EXPECT_EQ(sub_group_of_sibling(pod(), {}), std::nullopt);
}

TEST(Grouper, HugeNumbersAreErrorsWithoutEffort) {
  json set = object("jobset.x-k8s.io/v1alpha2", "JobSet", "s");
  set["spec"] = json::parse(R"({"replicatedJobs": [{"name": "a", "replicas": 9000000000000000000}]})");
  EXPECT_FALSE(plan_group(pod(), {set}, {}));
  json job = object("kubeflow.org/v1", "PyTorchJob", "t");
  job["spec"] = json::parse(R"({"pytorchReplicaSpecs": {"Master": {"replicas": 9000000000000000000},
                                                        "Worker": {"replicas": 9000000000000000000}}})");
  EXPECT_TRUE(plan_group(pod(), {job}, {}));
  EXPECT_TRUE(plan_group(pod(), {job}, {})->pod_group["spec"]["subGroups"].size() == 2);
  json segmented = pod();
  segmented["metadata"]["annotations"]["kai.scheduler/segment-size"] = "9223372036854775807";
  EXPECT_EQ(plan(segmented, {job}).pod_group["spec"]["subGroups"].size(), 3U);
}

TEST(Grouper, InvalidOwnersAreErrors) {
  EXPECT_FALSE(plan_group(pod(), {object("kubeflow.org/v1", "PyTorchJob", "t")}, {}));
  EXPECT_FALSE(plan_group(pod(), {object("jobset.x-k8s.io/v1alpha2", "JobSet", "s")}, {}));
}

}  // namespace
}  // namespace muster::grouper
