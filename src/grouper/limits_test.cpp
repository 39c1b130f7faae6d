// Workloads with numbers that nobody means: refused or cut short, at no cost.
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
                    {"metadata", {{"name", "p"}, {"namespace", "ns"}, {"uid", "p"}}}};
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

TEST(GrouperLimits, AMinimumIsNoLargerThanTheApiHasIt) {
  const auto planned =
      plan("batch/v1", "Job", R"({"annotations":{"kai.scheduler/batch-min-member":"99999999999"}})", "{}");
  ASSERT_TRUE(planned);
  EXPECT_EQ(planned->pod_group["spec"]["minMember"], 2147483647);
}

TEST(GrouperLimits, ReplicasOfAPyTorchJobMayBeMany) {
  EXPECT_TRUE(
      plan("kubeflow.org/v1", "PyTorchJob", "{}",
           R"({"pytorchReplicaSpecs":{"Worker":{"replicas":2147483647},"Master":{"replicas":2147483647}}})"));
}

}  // namespace
}  // namespace muster::grouper
