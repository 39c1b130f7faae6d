// Gangs start whole, continue with the pods that are left, and move only if they fit whole elsewhere.
#include <gtest/gtest.h>

#include "tests/test_cluster.hpp"

namespace muster {
namespace {

TestCluster cluster_without(bool Compatibility::*option) {
  Config config;
  config.params.compatibility.*option = false;
  return TestCluster(config);
}

// Two of three pods run on n1, where "big" needs all GPUs; n2 has room for the two.
void add_part_of_gang(TestCluster& c) {
  c.only({"consolidation"}).node("n1", {.gpus = 8}).node("n2", {.gpus = 4});
  c.running("half", {.tasks = 2, .min = 3, .node = "n1"}).pending("big", {.gpus = 8});
}

TEST(WholeGangs, APartOfAGangIsNotMovedToWhereItCannotStart) {
  TestCluster c;
  add_part_of_gang(c);
  EXPECT_EQ(c.cycle(), "");

  TestCluster as_kai = cluster_without(&Compatibility::move_only_whole_gangs);
  add_part_of_gang(as_kai);
  EXPECT_EQ(as_kai.cycle(), "evict half-0 half-1; pipeline big-0 n1; pipeline half-0 n2; pipeline half-1 n2");
}

TEST(WholeGangs, AWholeGangIsMoved) {
  TestCluster c;
  c.only({"consolidation"}).node("n1", {.gpus = 8}).node("n2", {.gpus = 4});
  c.running("whole", {.tasks = 2, .node = "n1"}).pending("big", {.gpus = 8});
  EXPECT_EQ(c.cycle(), "evict whole-0 whole-1; pipeline big-0 n1; pipeline whole-0 n2; pipeline whole-1 n2");
}

// A gang with one finished pod; the others are pending.
void add_gang_with_finished(TestCluster& c, int minimum, int waiting) {
  c.pending("gang", {.tasks = waiting, .min = minimum});
  c.cluster().apply(PodObject{.meta = {.ns = "default", .name = "done", .uid = "done"},
                              .phase = PodPhase::kSucceeded,
                              .scheduler = "kai-scheduler",
                              .node = "n1",
                              .pod_group = "gang"});
}

TEST(WholeGangs, WhatIsLeftOfAGangStartsAgainWhenTheOthersHaveFinished) {
  TestCluster c;
  c.node("n1", {.gpus = 2});
  add_gang_with_finished(c, 2, 1);
  EXPECT_EQ(c.cycle(), "bind gang-0 n1");

  TestCluster as_kai = cluster_without(&Compatibility::finished_pods_count);
  as_kai.node("n1", {.gpus = 2});
  add_gang_with_finished(as_kai, 2, 1);
  EXPECT_EQ(as_kai.cycle(), "");
}

TEST(WholeGangs, AFinishedPodDoesNotMakeUpForTwoThatAreMissing) {
  TestCluster c;
  c.node("n1", {.gpus = 2});
  add_gang_with_finished(c, 3, 1);
  EXPECT_EQ(c.cycle(), "");
}

TEST(WholeGangs, WhatIsLeftStaysAGang) {
  TestCluster c;
  c.node("n1", {.gpus = 1});
  add_gang_with_finished(c, 2, 2);
  EXPECT_EQ(c.cycle(), "");
  c.node("n1", {.gpus = 2});
  EXPECT_EQ(c.cycle(), "bind gang-0 n1; bind gang-1 n1");
}

// One of two sub groups is enough; "a" has one of its two required pods.
void add_sub_groups(TestCluster& c) {
  c.node("n1", {.gpus = 2});
  c.pending("gang", {.min_sub_group = 1,
                     .groups = {{.name = "a", .min = 2, .tasks = 1}, {.name = "b", .min = 2, .tasks = 2}}});
}

TEST(WholeGangs, OfOptionalSubGroupsThoseStartThatCanBeWhole) {
  TestCluster c;
  add_sub_groups(c);
  EXPECT_EQ(c.cycle(), "bind gang-b-0 n1; bind gang-b-1 n1");

  TestCluster as_kai = cluster_without(&Compatibility::ready_sub_groups_first);
  add_sub_groups(as_kai);
  EXPECT_EQ(as_kai.cycle(), "bind gang-a-0 n1");
}

}  // namespace
}  // namespace muster
