// LimitRanges as objects, and their effect on pods from files.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "manifest/namespace_limits.hpp"
#include "manifest/testing.hpp"
#include "model/cluster.hpp"

namespace muster {
namespace {

TEST(LimitRange, IsReadKeptAndRemoved) {
  const Collected c = decoded(R"(
apiVersion: v1
kind: LimitRange
metadata: {name: bounds, namespace: team}
spec:
  limits:
  - type: Container
    default: {cpu: 2}
    defaultRequest: {cpu: 500m, memory: 1k}
    max: {nvidia.com/gpu: 4}
  - {type: Pod, min: {cpu: 100m}}
  - {type: PersistentVolumeClaim, max: {storage: 1Gi}}
)");
  EXPECT_EQ(c.findings_text(), "");
  ASSERT_EQ(c.all<LimitRangeObject>().size(), 1u);
  Cluster cluster;
  cluster.apply(LimitRangeObject(c.all<LimitRangeObject>().front()));
  const auto* range = cluster.kept().find<LimitRangeObject>("team", "bounds");
  ASSERT_NE(range, nullptr);
  ASSERT_EQ(range->items.size(), 2u);
  EXPECT_FALSE(range->items[0].of_pod);
  EXPECT_EQ(text_of(range->items[0].default_limit), "cpu 2000");
  EXPECT_EQ(text_of(range->items[0].default_request), "cpu 500, memory 1000");
  EXPECT_EQ(text_of(range->items[0].max), "nvidia.com/gpu 4000");
  EXPECT_TRUE(range->items[1].of_pod);
  EXPECT_EQ(text_of(range->items[1].min), "cpu 100");

  cluster.remove("LimitRange", "team", "bounds");
  EXPECT_EQ(cluster.kept().find<LimitRangeObject>("team", "bounds"), nullptr);
}

// ---------------------------------------------------------------- as the API server applies them

NamespaceLimits limits_of(std::string_view items) {
  NamespaceLimits limits;
  const Collected c = decoded(fmt::format(
      "{{apiVersion: v1, kind: LimitRange, metadata: {{name: r}}, spec: {{limits: [{}]}}}}", items));
  EXPECT_EQ(c.findings_text(), "");
  for (const LimitRangeObject& range : c.all<LimitRangeObject>()) limits.add(range);
  return limits;
}

Collected pod_under(const NamespaceLimits& limits, std::string_view metadata, std::string_view containers) {
  return decoded(
      fmt::format("{{apiVersion: v1, kind: Pod, metadata: {{name: a{}}}, spec: {{containers: [{}]}}}}",
                  metadata, containers),
      "f.yaml", {.now = kTestNow, .limits = &limits});
}

std::string request_under(const NamespaceLimits& limits, std::string_view containers) {
  const Collected c = pod_under(limits, "", containers);
  EXPECT_EQ(c.findings_text(), "");
  return text_of(c.all<PodObject>().at(0).requests);
}

TEST(NamespaceLimits, CompleteContainers) {
  const NamespaceLimits limits =
      limits_of("{type: Container, default: {cpu: 2, memory: 8}, defaultRequest: {cpu: 1}}");
  EXPECT_EQ(request_under(limits, "{}"), "cpu 1000, memory 8");
  EXPECT_EQ(request_under(limits, "{}, {resources: {requests: {cpu: 3}}}"), "cpu 4000, memory 16");
  EXPECT_EQ(request_under(limits, "{resources: {limits: {cpu: 500m}}}"), "cpu 500, memory 8");
  EXPECT_EQ(request_under(limits_of("{type: Container, max: {cpu: 4}}"), "{}"), "cpu 4000");
  EXPECT_EQ(request_under(limits_of("{type: Container, min: {cpu: 100m}}"), "{}"), "cpu 100");
  EXPECT_EQ(request_under(limits_of("{type: Pod, max: {cpu: 4}}"), "{}"), "");
}

TEST(NamespaceLimits, DoNotChangePodsThatTheApiServerSaw) {
  const NamespaceLimits limits = limits_of("{type: Container, defaultRequest: {cpu: 1}}");
  const Collected seen = pod_under(limits, ", uid: u", "{}");
  EXPECT_EQ(text_of(seen.all<PodObject>().at(0).requests), "");
  const Collected elsewhere = pod_under(limits, ", namespace: other", "{}");
  EXPECT_EQ(text_of(elsewhere.all<PodObject>().at(0).requests), "");
}

TEST(NamespaceLimits, ReportPodsThatWouldBeRejected) {
  const NamespaceLimits limits =
      limits_of("{type: Container, max: {cpu: 4}, min: {cpu: 500m}}, {type: Pod, max: {nvidia.com/gpu: 8}}");
  EXPECT_EQ(pod_under(limits, "", "{resources: {requests: {cpu: 5}}}").findings_text(),
            "W f.yaml:1: Pod default/a: spec.containers[0].resources: LimitRange r allows at most 4 of cpu; "
            "the API "
            "server would reject this pod\n");
  EXPECT_EQ(pod_under(limits, "", "{resources: {requests: {cpu: 100m}}}").findings_text(),
            "W f.yaml:1: Pod default/a: spec.containers[0].resources: LimitRange r allows no less than 500m "
            "of cpu; "
            "the API server would reject this pod\n");
  const char* const five = "{resources: {limits: {nvidia.com/gpu: 5}}}";
  EXPECT_EQ(
      pod_under(limits, "", fmt::format("{}, {}", five, five)).findings_text(),
      "W f.yaml:1: Pod default/a: spec.containers: LimitRange r allows at most 8 of nvidia.com/gpu; the API "
      "server would reject this pod\n");
  EXPECT_EQ(pod_under(limits, "", five).findings_text(), "");
}

}  // namespace
}  // namespace muster
