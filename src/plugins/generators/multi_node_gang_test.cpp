// Reclaim does not empty many nodes for a job that requests little.
#include <gtest/gtest.h>

#include <string>

#include "tests/test_cluster.hpp"

namespace muster {
namespace {

std::int64_t plays(const TestCluster& c) {
  std::int64_t sum = 0;
  for (const ActionStats& a : c.decisions().actions) sum += a.scenarios_simulated;
  return sum;
}

TestCluster cluster_with(bool narrow_scenarios) {
  Config config;
  config.params.compatibility.narrow_scenarios = narrow_scenarios;
  return TestCluster(config);
}

// Queue "rich" uses all nodes but one, with jobs of one and of three GPUs. Job "light" is entitled to two of
// these GPUs, but comes after a job that is not. All victims are back before its turn, wherever they go.
void add_crowd(TestCluster& c, int nodes) {
  c.only({"reclaim"});
  c.queue("rich", {.deserved = 4. * nodes - 8}).queue("poor", {.deserved = 8});
  for (int i = 0; i < nodes; ++i) {
    const std::string n = "n" + std::to_string(10 + i);
    c.node(n, {.gpus = 4});
    if (i == 0) {
      c.running("mine", {.queue = "poor", .gpus = 4, .node = n});
      continue;
    }
    c.running("small-" + n, {.queue = "rich", .gpus = 1, .node = n, .age = std::chrono::hours(2 * i)});
    c.running("large-" + n, {.queue = "rich", .gpus = 3, .node = n, .age = std::chrono::hours(2 * i + 1)});
  }
  c.pending("heavy", {.queue = "poor", .tasks = 6, .gpus = 4, .age = 2h});
  c.pending("light", {.queue = "poor", .gpus = 2, .age = 1h});
}

TEST(MultiNodeGang, TakesAtMostTwiceTheRequestAndAFewGpus) {
  TestCluster ours = cluster_with(true), as_kai = cluster_with(false);
  add_crowd(ours, 20);
  add_crowd(as_kai, 20);
  EXPECT_EQ(ours.cycle(), "");
  EXPECT_EQ(as_kai.cycle(), "");
  EXPECT_GT(plays(ours), 0);
  EXPECT_LT(plays(ours), plays(as_kai));
}

TEST(MultiNodeGang, EmptiesAsManyNodesAsAGangNeeds) {
  TestCluster c;
  c.only({"reclaim"}).queue("rich", {.deserved = 0}).queue("poor", {.deserved = 80});
  for (int i = 0; i < 10; ++i) {
    const std::string n = "n" + std::to_string(i);
    c.node(n, {.gpus = 8});
    for (int j = 0; j < 8; ++j) c.running("v-" + n + "-" + std::to_string(j), {.queue = "rich", .node = n});
  }
  c.pending("gang", {.queue = "poor", .tasks = 10, .gpus = 8});
  c.cycle();
  EXPECT_EQ(c.decisions().evictions.size(), 80u);
}

}  // namespace
}  // namespace muster
