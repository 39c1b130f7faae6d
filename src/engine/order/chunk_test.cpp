// Which tasks of a job are tried together: actions.md 3.3.
#include <gtest/gtest.h>

#include "engine/cycle/session.hpp"
#include "engine/cycle/statement.hpp"
#include "tests/test_cluster.hpp"

namespace muster {
namespace {

std::string chunk(TestCluster& c, Session& session, Evicted evicted = Evicted::kAreGone) {
  std::string names;
  for (TaskId t : session.chunk(c.job_id("a"), evicted).tasks)
    names += (names.empty() ? "" : " ") + c.cluster().task(t).name;
  return names;
}

std::string chunk(TestCluster& c) { return chunk(c, c.open()); }

TEST(Chunk, IsTheMissingMinimumFirst) {
  TestCluster c;
  c.node("n1").pending("a", {.tasks = 4, .min = 2});
  EXPECT_EQ(chunk(c), "a-0 a-1");
}

TEST(Chunk, CountsWhatRunsTowardTheMinimum) {
  TestCluster c;
  c.node("n1").pending("a", {.tasks = 3, .min = 3}).task("a", "b-0", {}, "n1");
  EXPECT_EQ(chunk(c), "a-0 a-1");
}

TEST(Chunk, IsOneTaskOnceTheMinimumIsMet) {
  TestCluster c;
  c.node("n1").pending("a", {.tasks = 3, .min = 1}).task("a", "b-0", {}, "n1");
  EXPECT_EQ(chunk(c), "a-0");
}

TEST(Chunk, FollowsTheTaskPriority) {
  TestCluster c;
  c.node("n1").pending("a", {.tasks = 2, .min = 2});
  c.task("a", "b", {.task_priority = "1"}).task("a", "c", {.task_priority = "7"});
  EXPECT_EQ(chunk(c), "c b");
}

TEST(Chunk, IsCachedUntilTheJobChanges) {
  TestCluster c;
  c.node("n1").pending("a", {.tasks = 2, .min = 1});
  Session& s = c.open();
  EXPECT_EQ(chunk(c, s), "a-0");
  Statement st(s);
  st.allocate(c.task_id("a-0"), c.node_id("n1"));
  EXPECT_EQ(chunk(c, s), "a-1");
  st.rollback(0);
  EXPECT_EQ(chunk(c, s), "a-0");
}

TEST(Chunk, IncludesVictimsOfAScenarioOnlyIfTheyArePendingAgain) {
  TestCluster c;
  c.node("n1").running("a", {.tasks = 2, .min = 1, .node = "n1"});
  Session& s = c.open();
  Statement st(s);
  st.evict(c.task_id("a-0"));
  st.evict(c.task_id("a-1"));
  EXPECT_EQ(chunk(c, s, Evicted::kAreGone), "");
  EXPECT_EQ(chunk(c, s, Evicted::kWaitAgain), "a-0");
  EXPECT_EQ(chunk(c, s, Evicted::kAreGone), "");
}

TEST(Chunk, TakesTheMinimumOfAllSubGroupsAtOnce) {
  TestCluster c;
  c.node("n1").pending(
      "a", {.groups = {{.name = "leader", .min = 1, .tasks = 1}, {.name = "worker", .min = 2, .tasks = 3}}});
  EXPECT_EQ(chunk(c), "a-leader-0 a-worker-0 a-worker-1");
}

TEST(Chunk, TakesAsManySubGroupsAsAreNeeded) {
  TestCluster c;
  c.node("n1").pending(
      "a", {.min_sub_group = 1,
            .groups = {{.name = "y", .min = 1, .tasks = 1}, {.name = "x", .min = 1, .tasks = 1}}});
  EXPECT_EQ(chunk(c), "a-x-0");
}

TEST(Chunk, DemandsBothOthersWhenOneOfThreeRunsAndTwoAreNeeded) {
  TestCluster c;
  c.node("n1").pending("a", {.min_sub_group = 2,
                             .groups = {{.name = "x", .min = 1},
                                        {.name = "y", .min = 1, .tasks = 1},
                                        {.name = "z", .min = 1, .tasks = 1}}});
  c.task("a", "x-0", {.sub_group = "x"}, "n1");
  EXPECT_EQ(chunk(c), "a-y-0 a-z-0");
}

TEST(Chunk, WalksNestedSets) {
  TestCluster c;
  c.node("n1").pending("a", {.min_sub_group = 1,
                             .groups = {{.name = "left"},
                                        {.name = "l1", .parent = "left", .min = 1, .tasks = 1},
                                        {.name = "l2", .parent = "left", .min = 1, .tasks = 1},
                                        {.name = "right"},
                                        {.name = "r1", .parent = "right", .min = 1, .tasks = 1}}});
  EXPECT_EQ(chunk(c), "a-l1-0 a-l2-0");
}

TEST(Chunk, NextIsOneWholeExtraSubGroup) {
  TestCluster c;
  c.node("n1").pending(
      "a", {.min_sub_group = 1, .groups = {{.name = "x", .min = 1}, {.name = "y", .min = 2, .tasks = 3}}});
  c.task("a", "x-0", {.sub_group = "x"}, "n1");
  EXPECT_EQ(chunk(c), "a-y-0 a-y-1");
}

TEST(Chunk, GrowsTheSubGroupThatIsLeastAboveItsMinimum) {
  TestCluster c;
  c.node("n1").pending(
      "a", {.groups = {{.name = "x", .min = 1, .tasks = 1}, {.name = "y", .min = 2, .tasks = 1}}});
  c.task("a", "x-0", {.sub_group = "x"}, "n1").task("a", "x-1", {.sub_group = "x"}, "n1");
  c.task("a", "y-0", {.sub_group = "y"}, "n1").task("a", "y-1", {.sub_group = "y"}, "n1");
  EXPECT_EQ(chunk(c), "a-y-0");  // x has 2 of 1, y 2 of 2
}

TEST(Chunk, SubGroupsWithoutMinimumComeLast) {
  TestCluster c;
  c.node("n1").pending("a", {.groups = {{.name = "x", .tasks = 1}, {.name = "y", .min = 1, .tasks = 1}}});
  c.task("a", "y-0", {.sub_group = "y"}, "n1");
  EXPECT_EQ(chunk(c), "a-y-0");
}

TEST(Chunk, ASetThatNeedsNothingIsElasticFromTheStart) {
  TestCluster c;
  c.node("n1").pending(
      "a", {.min_sub_group = 0,
            .groups = {{.name = "x", .min = 2, .tasks = 2}, {.name = "y", .min = 1, .tasks = 1}}});
  EXPECT_EQ(chunk(c), "a-x-0 a-x-1");
}

TEST(Chunk, SkipsTasksOfUnknownSubGroups) {
  TestCluster c;
  c.node("n1").pending("a", {.tasks = 1}).task("a", "b", {.sub_group = "nobody"});
  EXPECT_EQ(chunk(c), "a-0");
}

TEST(Chunk, AsksForItsTasksOnly) {
  TestCluster c;
  c.node("n1", {.gpu_memory = 10000}).pending("a", {.tasks = 3, .min = 2, .gpu_memory = 5000});
  const Demand& wanted = c.open().chunk(c.job_id("a"), Evicted::kAreGone).wanted;
  EXPECT_EQ(wanted.share(Accounted::kGpus), 1);  // 2 × 5000 of 10000 MiB
}

}  // namespace
}  // namespace muster
