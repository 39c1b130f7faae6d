// What a path is about.
#include "kube/resource.hpp"

#include <gtest/gtest.h>

namespace muster::kube {
namespace {

TEST(ResourceInPath, IsThePluralAndThePart) {
  EXPECT_EQ(resource_in("/api/v1/namespaces/a/pods/p/binding"), "pods/binding");
  EXPECT_EQ(resource_in("/api/v1/namespaces/a/pods/p"), "pods");
  EXPECT_EQ(resource_in("/api/v1/pods?limit=500&continue=x/y"), "pods");
  EXPECT_EQ(resource_in("/api/v1/nodes/n/status"), "nodes/status");
  EXPECT_EQ(resource_in("/api/v1/namespaces/a"), "namespaces");
  EXPECT_EQ(resource_in("/apis/scheduling.run.ai/v2alpha2/namespaces/a/podgroups/g/status"),
            "podgroups/status");
  EXPECT_EQ(resource_in("/apis/scheduling.run.ai/v2/queues"), "queues");
}

TEST(Resource, KnowsWhereTheApiHasTheKindsOfTheModel) {
  EXPECT_EQ(resources::kPods.path("a", "p"), "/api/v1/namespaces/a/pods/p");
  EXPECT_EQ(resources::kNodes.path("", "n"), "/api/v1/nodes/n");
  EXPECT_EQ(resources::kPodGroups.path("a"), "/apis/scheduling.run.ai/v2alpha2/namespaces/a/podgroups");
  EXPECT_EQ(resources::kPodGroups.api_version(), "scheduling.run.ai/v2alpha2");
}

TEST(ResourceInPath, IsNothingWhereThePathNamesNone) {
  EXPECT_EQ(resource_in("/readyz"), "");
  EXPECT_EQ(resource_in("/apis/batch/v1"), "");
  EXPECT_EQ(resource_in(""), "");
}

}  // namespace
}  // namespace muster::kube
