// Node scores on the worked examples of placement.md 12.
#include "plugins/node_scores.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/test_cluster.hpp"

namespace muster {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;

Config placement(const std::string& strategy) {
  Config config;
  for (PluginConfig& p : config.plugins)
    if (p.name == "nodeplacement") p.arguments = {{"gpu", strategy}, {"cpu", strategy}};
  return config;
}

struct Gpus {
  int free = 0, total = 0;
};

// The scores that plugin nodeplacement alone gives for a pod of one GPU.
std::vector<double> scores(const std::string& strategy, const std::vector<Gpus>& nodes) {
  Config config = placement(strategy);
  std::erase_if(config.plugins, [](const PluginConfig& p) { return p.name != "nodeplacement"; });
  TestCluster c(config);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::string name = "n" + std::to_string(i);
    const int used = nodes[i].total - nodes[i].free;
    c.node(name, {.gpus = nodes[i].total});
    if (used > 0) c.running("on-" + name, {.gpus = used, .node = name});
  }
  c.pending("a");
  Session& s = c.open();
  const auto all = c.cluster().nodes_by_name();
  std::vector<double> sums(all.size());
  s.hooks.node_score.score(c.task_id("a-0"), c.cluster().task(c.task_id("a-0")).shape, all, sums);
  return sums;
}

TEST(NodePlacement, PacksTheFullestFirst) {  // examples 1 and 2
  EXPECT_THAT(scores("binpack", {{0, 4}, {3, 4}, {4, 4}, {0, 0}}), ElementsAre(9, 2.25, 0, 0));
  EXPECT_THAT(scores("binpack", {{8, 8}, {4, 4}, {16, 16}}), ElementsAre(DoubleEq(9 * (1 - 1.0 / 3)), 9, 0));
  EXPECT_THAT(scores("binpack", {{1, 2}, {1, 4}, {1, 8}}), ElementsAre(9, 9, 9));
  EXPECT_THAT(scores("binpack", {{0, 2}, {0, 4}, {0, 8}}), ElementsAre(0, 0, 0));
}

TEST(NodePlacement, SpreadsByTheFreePart) {  // example 3
  EXPECT_THAT(scores("spread", {{3, 4}, {1, 4}, {0, 0}}), ElementsAre(0.75, 0.25, 0));
}

TEST(NodePlacement, TheStrategyDecidesTheNode) {  // example 4
  const auto placed = [](const std::string& strategy) {
    TestCluster c(placement(strategy));
    c.node("node0", {.gpus = 2}).node("node1", {.gpus = 2});
    c.running("held", {.node = "node1"}).pending("a");
    return c.cycle();
  };
  EXPECT_EQ(placed("binpack"), "bind a-0 node1");
  EXPECT_EQ(placed("spread"), "bind a-0 node0");
}

TEST(NodeAvailability, NodesWhereTheTaskStartsAtOnceComeFirst) {
  TestCluster c;
  c.node("busy", {.gpus = 1}).node("free", {.gpus = 8});
  c.terminating("old", {.node = "busy"}).pending("a");
  EXPECT_EQ(c.cycle(), "bind a-0 free");
}

TEST(ResourceType, TasksWithoutGpusGoToNodesWithoutGpus) {
  TestCluster c;
  c.node("gpu", {.cpu = 2}).node("plain", {.gpus = 0, .cpu = 64});
  c.pending("a", {.gpus = 0, .cpu = 1});
  EXPECT_EQ(c.cycle(), "bind a-0 plain");
}

TEST(GpuSharing, JoinsASharedGpuThatHasRoom) {  // examples 5 and 6
  TestCluster c;
  c.node("n0", {.gpus = 2, .gpu_memory = 1000}).node("n1", {.gpus = 2, .gpu_memory = 1000});
  c.running("r", {.fraction = 0.5, .node = "n1", .shares = {"g1"}}).pending("a", {.fraction = 0.5});
  EXPECT_EQ(c.cycle(), "bind a-0 n1/g1");
}

TEST(GpuSharing, WaitsForASharedGpuRatherThanOpenAnother) {  // example 12
  TestCluster c;
  c.node("n0", {.gpus = 2, .gpu_memory = 1000});
  c.running("r", {.fraction = 0.5, .node = "n0", .shares = {"g0"}});
  c.terminating("t", {.fraction = 0.5, .node = "n0", .shares = {"g0"}}).pending("a", {.fraction = 0.5});
  EXPECT_EQ(c.cycle(), "pipeline a-0 n0/g0");
}

}  // namespace
}  // namespace muster
