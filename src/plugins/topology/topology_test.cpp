// Where gangs are placed that require or prefer a topology domain. Example numbers are those of placement.md
// 12.
#include "plugins/topology/topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/topology/room.hpp"
#include "tests/test_cluster.hpp"

namespace muster::plugins {
namespace {

class TopologyTest : public testing::Test {
 protected:
  // A node named by its number, with labels such as rack "rack1", spine "s" and zone "z".
  void node(int number, int gpus, const std::string& rack, const std::string& spine = "s",
            const std::string& zone = "z", NodeSpec spec = {}) {
    spec.gpus = gpus;
    spec.labels.insert(spec.labels.end(), {{"rack", rack}, {"spine", spine}, {"zone", zone}});
    c.node("node" + std::to_string(number), spec);
  }
  void occupy(const std::string& node, int gpus) { c.running("on-" + node, {.gpus = gpus, .node = node}); }

  TestCluster c;
};

class RackTest : public TopologyTest {
 protected:
  RackTest() { c.topology("net", {"rack"}); }
  const TopologyConstraint kRequired{"net", "rack", ""}, kPreferred{"net", "", "rack"};
};

TEST_F(RackTest, ARequiredRackHoldsTheWholeGang) {  // example 23
  node(0, 1, "rack1"), node(1, 1, "rack1"), node(2, 1, "rack2"), node(3, 1, "rack2");
  occupy("node0", 1);
  c.pending("a", {.tasks = 2, .topology = kRequired});
  EXPECT_EQ(c.cycle(), "bind a-0 node2; bind a-1 node3");
}

TEST_F(RackTest, TheFullerOfTwoRacksIsPacked) {  // example 24
  node(0, 3, "rack1"), node(1, 3, "rack2");
  occupy("node0", 1);
  c.pending("a", {.tasks = 2, .topology = kRequired});
  EXPECT_EQ(c.cycle(), "bind a-0 node0; bind a-1 node0");
}

TEST_F(RackTest, TheReasonNamesTheRoomOfEachRack) {  // example 25
  for (int i = 0; i < 4; ++i) node(i, i == 2 ? 3 : 2, "rack" + std::to_string(i));
  c.pending("a", {.tasks = 4, .topology = kRequired}).only({"allocate"});
  EXPECT_EQ(c.cycle(), "");
  EXPECT_EQ(c.why("a"),
            "no domain at level rack of topology net has room for all 4 pods: rack2 has room for 3, rack0 "
            "has room for 2, rack1 has room for 2, 1 other has no more");
}

TEST_F(RackTest, NoEvictionHelpsWhereEvenEmptyRacksAreTooSmall) {
  node(0, 2, "rack0"), node(1, 3, "rack1");
  c.queue("rich", {.deserved = 5});
  c.running("b", {.tasks = 5, .min = 1, .nodes = {"node0", "node0", "node1", "node1", "node1"}});
  c.pending("a", {.queue = "rich", .tasks = 4, .topology = kRequired});
  EXPECT_EQ(c.cycle(), "");
  EXPECT_THAT(c.why("a"),
              testing::EndsWith("; all 4 pods would not fit into any domain at level rack of topology net "
                                "even if it were empty: rack1, the largest, has room for 3"));
  for (const ActionStats& s : c.decisions().actions) EXPECT_EQ(s.scenarios_simulated, 0) << s.action;
}

TEST_F(RackTest, ARackThatThePodsMayNotUseIsSkipped) {  // example 26
  node(0, 2, "rack1", "s", "z", {.labels = {{"pool", "old"}}});
  node(1, 2, "rack2", "s", "z", {.labels = {{"pool", "new"}}});
  c.pending("a", {.tasks = 2, .constraints = {.node_selector = {{"pool", "new"}}}, .topology = kRequired});
  EXPECT_EQ(c.cycle(), "bind a-0 node1; bind a-1 node1");
}

TEST_F(RackTest, APreferenceThatCannotBeMetIsIgnored) {  // example 27
  node(0, 1, "rack1"), node(1, 1, "rack2");
  c.pending("a", {.tasks = 2, .topology = kPreferred});
  EXPECT_EQ(c.cycle(), "bind a-0 node1; bind a-1 node0");
}

TEST_F(RackTest, NodesWithoutTheLabelAreOutsideTheTopology) {
  node(0, 1, "rack1"), node(1, 1, "rack2");
  c.node("bare", {.gpus = 8});
  c.pending("a", {.tasks = 2, .topology = kRequired}).pending("b", {.tasks = 2, .topology = kPreferred});
  EXPECT_EQ(c.cycle(), "bind b-0 node1; bind b-1 node0");
}

TEST_F(RackTest, AnElasticJobGrowsWhereItRuns) {  // example 32
  node(0, 4, "rack1"), node(1, 2, "rack2");
  c.running("a", {.tasks = 1, .min = 1, .node = "node1", .topology = kRequired});
  for (int i = 1; i < 4; ++i) c.task("a", "a-" + std::to_string(i));
  EXPECT_EQ(c.cycle(), "bind a-1 node1");
  EXPECT_EQ(c.why("a"), "no domain at level rack of topology net has room for the pod: rack2 has room for 0");
}

TEST_F(RackTest, TheTopologyAndLevelOfAConstraintMustExist) {
  node(0, 4, "rack1");
  c.pending("a", {.topology = {"gone", "rack", ""}}).pending("b", {.topology = {"net", "row", ""}});
  c.pending("d", {.topology = {"net", "", ""}}).pending("e", {.topology = {"", "row", ""}});
  EXPECT_EQ(c.cycle(), "bind e-0 node0");
  EXPECT_EQ(c.why("a"), "topology \"gone\" does not exist");
  EXPECT_EQ(c.why("b"), "topology \"net\" has no level \"row\" at or below the required one");
  EXPECT_EQ(c.why("d"), "names topology \"net\" but none of its levels");
}

TEST_F(RackTest, DifferentRequestsOfTasksAreAddedUp) {
  node(0, 2, "rack1"), node(1, 4, "rack2");
  c.pending("a", {.tasks = 1, .min = 2, .gpus = 3, .topology = kRequired});
  c.task("a", "a-cpu", {.gpus = 0, .cpu = 1});
  c.pending("b", {.tasks = 1, .min = 2, .gpus = 3, .topology = kRequired});
  c.task("b", "b-cpu", {.gpus = 0, .cpu = 1});
  EXPECT_EQ(c.cycle(), "bind a-0 node1; bind a-cpu node1");
  EXPECT_EQ(
      c.why("b"),
      "no domain at level rack of topology net has room for all 2 pods: rack1 has 2 GPUs free of 3 GPUs "
      "requested, rack2 has 1 GPU free of 3 GPUs requested; 6 GPUs: 3 in use by queue default, 3 free");
}

TEST_F(RackTest, AReasonFromInsideADomainNamesIt) {
  node(0, 2, "rack1");
  c.pending("a", {.tasks = 2, .constraints = {.node_selector = {{"pool", "none"}}}, .topology = kRequired});
  EXPECT_EQ(c.cycle(), "");
  EXPECT_EQ(c.why("a"),
            "found room for 0 of 2 pods that must start together; no room for pod a-0: in domain rack1: 1 "
            "node: does not match nodeSelector pool=none");
}

TEST_F(TopologyTest, TheFullerParentGoesFirst) {  // example 28
  c.topology("net", {"zone", "spine", "rack"});
  for (int i = 0; i < 3; ++i) node(i, 1, "rack" + std::to_string(i + 1), "spine1");
  node(3, 1, "rack4", "spine2"), node(4, 1, "rack4", "spine2");
  c.pending("a", {.topology = {"net", "", "rack"}});
  EXPECT_EQ(c.cycle(), "bind a-0 node3");
}

class TwoSpines : public TopologyTest {
 protected:
  TwoSpines() {
    c.topology("net", {"zone", "spine", "rack"});
    for (int i = 0; i < 8; ++i) node(i, 1, "rack" + std::to_string(i / 2 + 1), i < 4 ? "spine1" : "spine2");
  }
};

TEST_F(TwoSpines, EverySubGroupHasItsOwnPreference) {  // example 29
  const TopologyConstraint rack{"net", "", "rack"};
  c.pending("j", {.groups = {{.name = "a", .min = 3, .tasks = 3, .topology = rack},
                             {.name = "b", .min = 3, .tasks = 3, .topology = rack}},
                  .topology = {"net", "", "spine"}});
  EXPECT_EQ(c.cycle(),
            "bind j-a-0 node2; bind j-a-1 node3; bind j-a-2 node0; bind j-b-0 node6; bind j-b-1 node7; bind "
            "j-b-2 node4");
}

TEST_F(TwoSpines, SubGroupsWithoutPreferenceFollowTheJobs) {  // example 30
  c.pending("j", {.groups = {{.name = "a", .min = 3, .tasks = 3}, {.name = "b", .min = 3, .tasks = 3}},
                  .topology = {"net", "", "spine"}});
  EXPECT_EQ(c.cycle(),
            "bind j-a-0 node4; bind j-a-1 node5; bind j-a-2 node6; bind j-b-0 node7; bind j-b-1 node0; bind "
            "j-b-2 node1");
}

TEST_F(TwoSpines, LevelsCanBeNamedByAlias) {
  TopologyObject object{.meta = {.name = "net"}, .levels = {{"zone", ""}, {"spine", "block"}, {"rack", "r"}}};
  c.cluster().apply(std::move(object));
  c.pending("j", {.tasks = 3, .topology = {"net", "block", "r"}});
  EXPECT_EQ(c.cycle(), "bind j-0 node2; bind j-1 node3; bind j-2 node0");
}

TEST_F(TopologyTest, PreferenceInsideARequiredDomain) {  // example 31
  c.topology("net", {"rack", "spine"});
  node(0, 1, "rack1", "s0"), node(1, 1, "rack1", "s1"), node(2, 1, "rack2", "s2"), node(3, 1, "rack2", "s3");
  occupy("node0", 1);
  c.pending("a", {.tasks = 2, .topology = {"net", "rack", "spine"}});
  EXPECT_EQ(c.cycle(), "bind a-0 node3; bind a-1 node2");
}

TEST_F(TopologyTest, SubGroupsMayUseDifferentTopologies) {  // example 33
  c.topology("racks", {"rack"}).topology("zones", {"zone"});
  for (int i = 0; i < 6; ++i)
    node(i, 8, std::string(1, static_cast<char>('a' + i / 2)), "s", i % 2 == 0 ? "x" : "y");
  occupy("node0", 4), occupy("node2", 4);
  c.pending("j", {.groups = {{.name = "a", .min = 3, .tasks = 3, .topology = {"racks", "rack", ""}},
                             {.name = "b", .min = 3, .tasks = 3, .topology = {"zones", "zone", ""}}},
                  .gpus = 4});
  EXPECT_EQ(c.cycle(),
            "bind j-a-0 node0; bind j-a-1 node1; bind j-a-2 node1; bind j-b-0 node2; bind j-b-1 node4; bind "
            "j-b-2 node4");
}

TEST_F(TopologyTest, TheExampleOfTheUserGuide) {
  c.topology("net", {"zone", "rack"});
  int number = 0;
  for (const auto& [rack, gpus] : {std::pair("A1", 2), {"A2", 1}, {"A3", 1}, {"A4", 1}})
    node(number++, gpus, rack, "s", "A");
  for (const char* rack : {"B1", "B2", "B3"}) node(number++, 2, rack, "s", "B");
  c.pending("j", {.tasks = 3, .topology = {"net", "zone", "rack"}});
  EXPECT_EQ(c.cycle(), "bind j-0 node0; bind j-1 node0; bind j-2 node3");
}

// All nodes are in one rack, which is finer than the required zone.
TEST_F(TopologyTest, ARequiredLevelAboveWhatAllNodesShareIsMet) {
  const auto decide = [](bool as_kai) {
    Config config;
    if (as_kai) config.params.compatibility = Compatibility::kai_exact();
    TestCluster cluster(config);
    cluster.topology("net", {"zone", "rack"}).node("n", {.labels = {{"zone", "z"}, {"rack", "r"}}});
    return cluster.pending("a", {.tasks = 2, .topology = {"net", "zone", ""}}).cycle();
  };
  EXPECT_EQ(decide(false), "bind a-0 n; bind a-1 n");
  EXPECT_EQ(decide(true), "");
}

TEST_F(RackTest, VictimsAreEvictedWithinOneRack) {
  node(0, 2, "rack1"), node(1, 2, "rack2");
  c.queue("rich", {.deserved = 2}).queue("poor");
  c.running("b", {.queue = "poor", .tasks = 4, .min = 1, .nodes = {"node0", "node1", "node0", "node1"}});
  c.pending("a", {.queue = "rich", .tasks = 2, .topology = kRequired});
  EXPECT_EQ(c.cycle(), "evict b-1 b-2 b-3; pipeline a-0 node1; pipeline a-1 node1; pipeline b-1 node0");
}

// ---------------------------------------------------------------- room counted in pods

std::int64_t pods_on(TestCluster& c, const Request& size) {
  return pods_that_fit(c.open().cluster, c.node_id("n"), size, RoomOf::kNow);
}

TEST(PodsThatFit, FreePartsOfSharedGpusCount) {  // example 34
  for (const auto& [devices, pods] : {std::pair(2, 2), {1, 1}}) {
    TestCluster c;
    c.node("n", {.gpus = devices, .gpu_memory = 100});
    for (int i = 0; i < devices; ++i)
      c.running("r" + std::to_string(i), {.fraction = .5, .node = "n", .shares = {"g" + std::to_string(i)}});
    EXPECT_EQ(pods_on(c, {{kGpu, 400}, {kPods, 1}}), pods);
  }
}

TEST(PodsThatFit, TheScarcestKindDecides) {
  TestCluster c;
  c.node("n", {.gpus = 8, .cpu = 10, .pods = 5});
  EXPECT_EQ(pods_on(c, {{kCpu, 4'000}, {kGpu, kOneGpu}, {kPods, 1}}), 2);
  EXPECT_EQ(pods_on(c, {{kCpu, 1'000}, {kGpu, kOneGpu}, {kPods, 1}}), 5);
  EXPECT_EQ(pods_on(c, {{kGpu, 9 * kOneGpu}, {kPods, 1}}), 0);
}

}  // namespace
}  // namespace muster::plugins
