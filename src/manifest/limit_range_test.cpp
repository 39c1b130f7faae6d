#include <gtest/gtest.h>

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

}  // namespace
}  // namespace muster
