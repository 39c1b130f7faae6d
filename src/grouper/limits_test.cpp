// Workloads with absurd numbers are refused or limited at no cost.
#include <gtest/gtest.h>

#include "grouper/grouper.hpp"

namespace muster::grouper {
namespace {

Result<GroupPlan> plan(const char* api_version, const char* kind, const char* metadata, const char* spec) {
  json owner = {{"apiVersion", api_version},
                {"kind", kind},
                {"metadata", json::parse(metadata)},
                {"spec", json::parse(spec)}};
  owner["metadata"].update({{"name", "w"}, {"uid", "w"}});
  const json pod = {{"apiVersion", "v1"},
                    {"kind", "Pod"},
                    {"metadata",
                     {{"name", "p"},
                      {"namespace", "ns"},
                      {"uid", "p"},
                      {"labels", {{"jobset.sigs.k8s.io/replicatedjob-name", "a"}}}}}};
  return plan_group(pod, {owner}, {});
}

TEST(GrouperLimits, AJobSetOfTooManyReplicasIsRefused) {
  const char* kJobSet = "jobset.x-k8s.io/v1alpha2";
  for (const char* jobs :
       {R"([{"name":"a","replicas":2000000000}])", R"([{"name":"a","replicas":9223372036854775807}])",
        R"([{"name":"a","replicas":6000},{"name":"b","replicas":6000}])"}) {
    const auto planned =
        plan(kJobSet, "JobSet", "{}", (R"({"replicatedJobs":)" + std::string(jobs) + "}").c_str());
    ASSERT_FALSE(planned) << jobs;
    EXPECT_EQ(planned.error().text(), "spec.replicatedJobs: more than 10000 replicas");
  }
  EXPECT_TRUE(plan(kJobSet, "JobSet", "{}", R"({"replicatedJobs":[{"name":"a","replicas":9000}]})"));
}

TEST(GrouperLimits, AMinimumIsLimitedToTheRangeOfTheApi) {
  const auto planned =
      plan("batch/v1", "Job", R"({"annotations":{"kai.scheduler/batch-min-member":"99999999999"}})", "{}");
  ASSERT_TRUE(planned);
  EXPECT_EQ(planned->pod_group["spec"]["minMember"], 2147483647);
}

TEST(GrouperLimits, APyTorchJobMayHaveManyReplicas) {
  EXPECT_TRUE(
      plan("kubeflow.org/v1", "PyTorchJob", "{}",
           R"({"pytorchReplicaSpecs":{"Worker":{"replicas":2147483647},"Master":{"replicas":2147483647}}})"));
}

TEST(GrouperLimits, TheNameOfAGroupIsLimitedToTheLengthOfTheApi) {
  const std::string uid = "0b1c2d3e-0000-1111-2222-333344445555";
  EXPECT_EQ(group_name("train", uid), "pg-train-" + uid);
  const std::string longest = group_name(std::string(253, 'a'), uid);
  EXPECT_EQ(longest, "pg-" + std::string(213, 'a') + "-" + uid);
  EXPECT_EQ(longest.size(), 253U);
  EXPECT_EQ(group_name(std::string(212, 'a') + ".b", uid), "pg-" + std::string(212, 'a') + "-" + uid)
      << "no part of a name may begin or end with a dash";
}

TEST(GrouperLimits, AnnotationsOfTheSchedulerAreNotCopiedFromWorkloads) {
  const auto planned = plan("batch/v1", "Job", R"({"annotations":{
      "kai.scheduler/last-start-timestamp":"2999-01-01T00:00:00Z",
      "kai.scheduler/last-eviction-timestamp":"2999-01-01T00:00:00Z",
      "kai.scheduler/stale-podgroup-timestamp":"2999-01-01T00:00:00Z",
      "kai.scheduler/requeue-not-before":"2999-01-01T00:00:00Z",
      "muster.dev/requeued-at":"1999-01-01T00:00:00Z",
      "muster.dev/queue":"of-others",
      "mine":"kept"}})",
                            "{}");
  ASSERT_TRUE(planned);
  json annotations = planned->pod_group["metadata"]["annotations"];
  annotations.erase("kai.scheduler/top-owner-metadata");
  EXPECT_EQ(annotations, json({{"mine", "kept"}}));
}

}  // namespace
}  // namespace muster::grouper
