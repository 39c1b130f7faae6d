// Allocate, on the worked examples of actions.md 13.
#include "actions/allocate.hpp"

#include <gtest/gtest.h>

#include "tests/test_cluster.hpp"
#include "util/keys.hpp"

namespace muster {
namespace {

class AllocateTest : public testing::Test {
 protected:
  AllocateTest() { c.only({"allocate"}); }
  TestCluster c;
};

TEST_F(AllocateTest, AGangWaitsAsAWholeIfOnePodMustWait) {  // example 17
  c.node("node0", {.gpus = 4}).terminating("x", {.node = "node0"}).pending("g", {.tasks = 2, .gpus = 2});
  EXPECT_EQ(c.cycle(), "pipeline g-0 node0; pipeline g-1 node0");
}

TEST_F(AllocateTest, WaitsForATerminatingPodButNotForAStuckOne) {  // example 17
  c.node("node0", {.gpus = 1}).terminating("x", {.node = "node0", .deleted = 2min}).pending("a");
  EXPECT_EQ(c.cycle(), "pipeline a-0 node0");

  TestCluster stuck;
  stuck.only({"allocate"}).node("node0", {.gpus = 1});
  stuck.terminating("x", {.node = "node0", .deleted = 2min + 1s}).pending("a");
  EXPECT_EQ(stuck.cycle(), "");
  EXPECT_EQ(stuck.status("a-0"), TaskStatus::kPending);
}

TEST_F(AllocateTest, ElasticJobsTakeTurnsPodByPodAfterTheirMinimum) {  // example 18
  c.node("node0", {.gpus = 5}).queue("queue0", {.deserved = 5});
  c.pending("e", {.queue = "queue0", .tasks = 3, .min = 1})
      .pending("f", {.queue = "queue0", .tasks = 3, .min = 1});
  EXPECT_EQ(c.cycle(), "bind e-0 node0; bind e-1 node0; bind e-2 node0; bind f-0 node0; bind f-1 node0");
  EXPECT_EQ(c.status("f-2"), TaskStatus::kPending);
}

TEST_F(AllocateTest, OneOfTwoSubGroupsIsEnough) {  // example 19
  c.node("node0", {.gpus = 2});
  c.pending("j", {.min_sub_group = 1,
                  .groups = {{.name = "group-a"},
                             {.name = "a1", .parent = "group-a", .min = 1, .tasks = 1},
                             {.name = "a2", .parent = "group-a", .min = 1, .tasks = 1},
                             {.name = "group-b"},
                             {.name = "b1", .parent = "group-b", .min = 1, .tasks = 1},
                             {.name = "b2", .parent = "group-b", .min = 1, .tasks = 1}}});
  EXPECT_EQ(c.cycle(), "bind j-a1-0 node0; bind j-a2-0 node0");
}

TEST_F(AllocateTest, AJobThatDoesNotFitLeavesRoomForTheNext) {
  c.node("node0", {.gpus = 2}).pending("big", {.tasks = 3}).pending("small", {.tasks = 2});
  EXPECT_EQ(c.cycle(), "bind small-0 node0; bind small-1 node0");
}

TEST_F(AllocateTest, AJobAtItsMinimumMayGrowWhileAnotherPodWaits) {
  c.node("node0", {.gpus = 2}).node("node1", {.gpus = 1}).terminating("x", {.node = "node1"});
  c.running("j", {.tasks = 1, .node = "node0"}).task("j", "j-1").task("j", "j-2");
  EXPECT_EQ(c.cycle(), "bind j-1 node0; pipeline j-2 node1");
}

TEST_F(AllocateTest, StopsAtTheLimitOfTheQueue) {
  c.node("node0").queue("q", {.limit = 2});
  c.pending("a", {.queue = "q", .tasks = 2}).pending("b", {.queue = "q"});
  EXPECT_EQ(c.cycle(), "bind a-0 node0; bind a-1 node0");
  EXPECT_EQ(c.why("b"), "queue q has a limit of 2 GPUs: 2 in use, 1 more requested");
}

TEST_F(AllocateTest, RecordsWhenAJobStarted) {
  c.node("node0", {.gpus = 1}).pending("a", {.tasks = 2, .min = 1});
  c.cycle();
  EXPECT_EQ(c.cluster().job(c.job_id("a")).last_start, c.now());
  ASSERT_EQ(c.decisions().patches.size(), 1U);
  EXPECT_EQ(c.decisions().patches[0].annotations.at(keys::kLastStart), "2025-06-01T12:00:00Z");
  const TimePoint start = c.now();
  c.node("node1", {.gpus = 1}).advance(1min);
  EXPECT_EQ(c.cycle(), "bind a-1 node1");
  EXPECT_EQ(c.cluster().job(c.job_id("a")).last_start, start);
}

TEST_F(AllocateTest, TriesNoMoreJobsPerQueueThanItsDepth) {
  c.policy().settings.queue_depth["allocate"] = 1;
  c.node("node0").pending("a", {.tasks = 9}).pending("b");
  EXPECT_EQ(c.cycle(), "");
  EXPECT_EQ(c.decisions().actions[0].jobs_tried, 1);
}

TEST_F(AllocateTest, AGangIsReadyOnlyWhenAllItsPodsExist) {
  c.node("node0").pending("a", {.tasks = 2, .min = 3});
  EXPECT_EQ(c.cycle(), "");
  EXPECT_EQ(c.why("a"), "needs 3 pods and has 2");
}

}  // namespace
}  // namespace muster
