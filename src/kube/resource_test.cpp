// API paths of kinds, and the resource in a path.
#include "kube/resource.hpp"

#include <gtest/gtest.h>

namespace muster::kube {
namespace {

TEST(ResourceInPath, IsThePluralAndTheSubresource) {
  EXPECT_EQ(resource_in("/api/v1/namespaces/a/pods/p/binding"), "pods/binding");
  EXPECT_EQ(resource_in("/api/v1/namespaces/a/pods/p"), "pods");
  EXPECT_EQ(resource_in("/api/v1/pods?limit=500&continue=x/y"), "pods");
  EXPECT_EQ(resource_in("/api/v1/nodes/n/status"), "nodes/status");
  EXPECT_EQ(resource_in("/api/v1/namespaces/a"), "namespaces");
  EXPECT_EQ(resource_in("/apis/scheduling.run.ai/v2alpha2/namespaces/a/podgroups/g/status"),
            "podgroups/status");
  EXPECT_EQ(resource_in("/apis/scheduling.run.ai/v2/queues"), "queues");
}

TEST(Resource, HasThePathsOfTheKindsOfTheModel) {
  EXPECT_EQ(resources::kPods.path("a", "p"), "/api/v1/namespaces/a/pods/p");
  EXPECT_EQ(resources::kNodes.path("", "n"), "/api/v1/nodes/n");
  EXPECT_EQ(resources::kPodGroups.path("a"), "/apis/scheduling.run.ai/v2alpha2/namespaces/a/podgroups");
  EXPECT_EQ(resources::kPodGroups.api_version(), "scheduling.run.ai/v2alpha2");
}

TEST(Resource, NoNameEscapesItsPathSegment) {
  const std::string names[] = {
      "../../../../../api/v1/pods?limit=0", "..", ".", "", "a/b", "a%2Fb", "p?x=y", "p#x"};
  for (const std::string& name : names) {
    const std::string path = resources::kPods.path("a", name);
    const std::string_view part =
        std::string_view(path).substr(std::string_view("/api/v1/namespaces/a/pods/").size());
    EXPECT_TRUE(path.starts_with("/api/v1/namespaces/a/pods/")) << path;
    EXPECT_EQ(part.find_first_of("/?#"), std::string_view::npos) << path;
    EXPECT_NE(part, "..");
    EXPECT_FALSE(part.empty());
  }
  EXPECT_EQ(resources::kPods.path("a", "p:1"), "/api/v1/namespaces/a/pods/p%3A1");
  EXPECT_EQ(resources::kPods.path("..", "p"), "/api/v1/namespaces/%25../pods/p");
}

// A server decodes the path once.
TEST(Resource, AnIllegalNameMatchesNoObject) {
  EXPECT_EQ(path_part("../pods"), "%25..%252Fpods");
  EXPECT_EQ(path_part(".."), "%25..");
  EXPECT_EQ(path_part(""), "%25");
  EXPECT_FALSE(is_object_name("%..%2Fpods"));
  EXPECT_FALSE(is_object_name("%.."));
  EXPECT_TRUE(is_object_name("system:node"));
  EXPECT_FALSE(is_object_name(std::string(254, 'a')));
}

TEST(Resource, NoApiVersionEscapesItsPathSegment) {
  EXPECT_EQ(path_of_api("v1"), "/api/v1");
  EXPECT_EQ(path_of_api("batch/v1"), "/apis/batch/v1");
  EXPECT_EQ(path_of_api("batch/../../api/v1/pods"), "/apis/batch/%25..%252F..%252Fapi%252Fv1%252Fpods");
  EXPECT_EQ(path_of_api("v1/pods?limit=0"), "/apis/v1/pods%3Flimit%3D0");
  EXPECT_EQ(path_of_api(""), "/api/%25");
}

TEST(ResourceInPath, IsEmptyIfThePathNamesNone) {
  EXPECT_EQ(resource_in("/readyz"), "");
  EXPECT_EQ(resource_in("/apis/batch/v1"), "");
  EXPECT_EQ(resource_in(""), "");
}

}  // namespace
}  // namespace muster::kube
