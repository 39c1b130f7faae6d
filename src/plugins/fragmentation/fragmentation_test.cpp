// Where the plugin sends pods, and where it does not interfere.
#include "plugins/fragmentation/fragmentation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/test_cluster.hpp"

namespace muster {
namespace {

using testing::DoubleNear;

Config kai_exact() {
  Config config;
  config.params.compatibility = Compatibility::kai_exact();
  return config;
}

Constraints only_on(std::string model) { return {.node_selector = {{"model", std::move(model)}}}; }

// n1 has half a device free, n2 a fifth of one. A share of a fifth fits n2, and n1 is kept for halves.
TEST(Fragmentation, AShareGoesToTheNodeItFitsBest) {
  const auto placed = [](const Config& config) {
    TestCluster c(config);
    c.node("n1", {.gpus = 1}).node("n2", {.gpus = 1});
    c.running("half", share_on("n1", 0.5, "g1")).running("most", share_on("n2", 0.8, "g2"));
    c.pending("a", {.fraction = 0.2});
    return c.cycle();
  };
  EXPECT_EQ(placed(kai_exact()), "bind a-0 n1/g1");
  EXPECT_EQ(placed({}), "bind a-0 n2/g2");
}

TEST(Fragmentation, AShareGetsTheDeviceThatItFitsBest) {
  const auto device = [](const Config& config) {
    TestCluster c(config);
    c.node("n", {.gpus = 2});
    c.running("x", share_on("n", 0.55, "g1")).running("y", share_on("n", 0.5, "g2"));
    c.pending("a", {.fraction = 0.25}).pending("b", {.fraction = 0.45});
    c.cycle();
    const auto groups = c.cluster().groups(c.cluster().placement(c.task_id("b-0")).holding);
    return groups.empty() ? "" : c.cluster().group_name(groups[0]);
  };
  EXPECT_EQ(device({}), "g1");
}

// Pods with shares are rare here, and neither node has room for the other pods, so the second half fills the
// device.
TEST(Fragmentation, RareSharesFillADeviceBeforeTheyOpenAnother) {
  TestCluster c;
  c.node("n1", {.gpus = 4}).node("n2", {.gpus = 4});
  c.running("x", {.gpus = 3, .node = "n1"}).running("y", {.gpus = 3, .node = "n2"});
  c.pending("a", {.fraction = 0.5}).pending("b", {.fraction = 0.5});
  for (int i = 0; i < 8; ++i) c.pending("later" + std::to_string(i), {.gpus = 3});
  EXPECT_EQ(c.cycle(), "bind a-0 n1/n1-shared-0; bind b-0 n1/n1-shared-0");
}

// Node "few" has little CPU for its GPUs; node "many" has more than they need.
TEST(Fragmentation, PodsWithoutGpusAvoidNodesWhoseGpusNeedTheCpu) {
  const auto placed = [](const Config& config) {
    TestCluster c(config);
    c.node("few", {.gpus = 8, .cpu = 32}).node("many", {.gpus = 8, .cpu = 128});
    c.running("r", {.cpu = 2, .fraction = 0.5, .node = "few", .shares = {"g"}});
    for (int i = 0; i < 4; ++i) c.pending("later" + std::to_string(i), {.cpu = 4});
    c.pending("a", {.gpus = 0, .cpu = 8, .priority = 60});
    return c.cycle();
  };
  EXPECT_THAT(placed({}), testing::HasSubstr("bind a-0 many"));
  EXPECT_THAT(placed(kai_exact()), testing::HasSubstr("bind a-0 few"));
}

// Only node "rare" can take the pods that request its model.
TEST(Fragmentation, ANodeThatOtherPodsDependOnIsLeftToThem) {
  const auto placed = [](const Config& config) {
    TestCluster c(config);
    c.node("rare", {.gpus = 2, .labels = {{"model", "rare"}}});
    c.node("usual", {.gpus = 4, .labels = {{"model", "usual"}}});
    c.running("r", {.gpus = 1, .node = "rare", .constraints = only_on("rare")});
    c.running("u", {.gpus = 1, .node = "usual"}).pending("a");
    return c.cycle();
  };
  EXPECT_EQ(placed(kai_exact()), "bind a-0 rare");
  EXPECT_EQ(placed({}), "bind a-0 usual");
}

// Node "large" is kept whole for pods that need all of it; the GPUs of node "begun" serve this pod equally
// well.
TEST(Fragmentation, AnEmptyNodeStaysEmpty) {
  TestCluster c;
  c.node("begun", {.gpus = 8, .cpu = 96}).node("large", {.gpus = 8, .cpu = 128});
  c.running("x", {.cpu = 6, .fraction = 0.46, .node = "begun", .shares = {"g"}});
  for (int i = 0; i < 3; ++i) c.running("y" + std::to_string(i), {.cpu = 16, .node = "begun"});
  c.pending("a", {.cpu = 16});
  EXPECT_EQ(c.cycle(), "bind a-0 begun");
}

// Pods that fill the small node also fit the large one, so the large one is needed more.
TEST(Fragmentation, ASmallEmptyNodeIsUsedBeforeALargeOne) {
  TestCluster c;
  c.node("begun", {.gpus = 1, .cpu = 16});
  c.node("large", {.gpus = 8, .cpu = 128}).node("small", {.gpus = 2, .cpu = 16});
  c.running("x", {.cpu = 6, .fraction = 0.46, .node = "begun", .shares = {"g"}});
  c.pending("a", {.cpu = 16});
  EXPECT_EQ(c.cycle(), "bind a-0 small");
}

TEST(Fragmentation, ANodeWherePodsCanStartAtOnceComesFirst) {
  TestCluster c;
  c.node("busy", {.gpus = 1}).node("free", {.gpus = 8});
  c.terminating("old", {.fraction = 0.5, .node = "busy", .shares = {"g"}}).pending("a", {.fraction = 0.5});
  EXPECT_EQ(c.cycle(), "bind a-0 free/free-shared-0");
}

TEST(Fragmentation, GivesNoScoreWhereGpusAreWholeAndPodsMayGoAnywhere) {
  TestCluster c;
  c.node("n1", {.gpus = 8}).node("n2", {.gpus = 4});
  c.running("r", {.gpus = 2, .node = "n1"}).pending("a", {.gpus = 2});
  Session& s = c.open();
  EXPECT_FALSE(s.hooks.free_gpus);
  const NodeId n = c.cluster().find_node("n2");
  std::vector<double> sums(1);
  s.hooks.node_score.score(c.task_id("a-0"), c.cluster().task(c.task_id("a-0")).shape, std::vector{n}, sums);
  EXPECT_LT(sums[0], 1010);  // available now, and packed
}

TEST(Fragmentation, ReportsFragmentedGpus) {
  TestCluster c;
  c.node("n", {.gpus = 2});
  c.running("x", share_on("n", 0.75, "g")).running("y", {.gpus = 1, .node = "n"});
  Session& s = c.open();
  const FreeGpus gpus = s.hooks.free_gpus(c.cluster().find_node("n"));
  EXPECT_THAT(gpus.free, DoubleNear(0.25, 1e-9));
  EXPECT_THAT(gpus.fragmented, DoubleNear(0.25, 1e-9));  // neither of the two typical pods would fit
}

TEST(Fragmentation, PreferredTopologyComesFirst) {
  TestCluster c;
  const auto in_rack = [](const char* rack) { return NodeSpec{.gpus = 4, .labels = {{"rack", rack}}}; };
  c.node("a1", in_rack("a")).node("a2", in_rack("a")).node("b1", in_rack("b"));
  c.topology("net", {"rack"});
  c.running("x", share_on("b1", 0.5, "g"));
  c.pending("gang", {.tasks = 8, .gpus = 1, .topology = {.topology = "net", .preferred = "rack"}});
  const std::string decided = c.cycle();
  EXPECT_THAT(decided, testing::Not(testing::HasSubstr("b1")));
  EXPECT_THAT(decided, testing::HasSubstr("a2"));
}

}  // namespace
}  // namespace muster
