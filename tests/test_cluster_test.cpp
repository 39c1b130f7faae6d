// Tests the builder itself, and shows a cycle through it.
#include "tests/test_cluster.hpp"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(TestCluster, BindsWhatFits) {
  TestCluster c;
  c.node("n1", {.gpus = 2});
  c.pending("a", {.tasks = 2});
  EXPECT_EQ(c.cycle(), "bind a-0 n1; bind a-1 n1");
  EXPECT_EQ(c.why("a"), "");
}

TEST(TestCluster, TellsWhyAJobWaits) {
  TestCluster c;
  c.node("n1", {.gpus = 2});
  c.pending("a", {.tasks = 3});
  EXPECT_EQ(c.cycle(), "");
  EXPECT_EQ(c.why("a"),
            "found room for 2 of 3 pods that must start together; no room for pod a-2: 1 node: not enough "
            "GPUs (1 requested, none free)");
}

TEST(TestCluster, BoundPodsRunAndTerminatingOnesEndBetweenCycles) {
  TestCluster c;
  c.node("n1", {.gpus = 1});
  c.terminating("old", {.node = "n1"}).pending("new", {.priority = 60});
  EXPECT_EQ(c.cycle(), "pipeline new-0 n1");
  EXPECT_EQ(c.cycle(), "bind new-0 n1");
  EXPECT_EQ(c.status("new-0"), TaskStatus::kBinding);
  c.advance(1s);
  EXPECT_EQ(c.status("new-0"), TaskStatus::kRunning);
  EXPECT_EQ(c.status("old-0"), TaskStatus::kPending);
}

TEST(TestCluster, GatedPodsWait) {
  TestCluster c;
  c.node("n1").gated("a");
  EXPECT_EQ(c.cycle(), "");
  EXPECT_EQ(c.status("a-0"), TaskStatus::kGated);
}

TEST(TestCluster, SharesNameTheirDevice) {
  TestCluster c;
  c.node("n1", {.gpus = 2, .gpu_memory = 1000});
  c.running("a", {.fraction = 0.5, .node = "n1", .shares = {"g0"}}).pending("b", {.fraction = 0.5});
  EXPECT_EQ(c.cycle(), "bind b-0 n1/g0");
}

TEST(TestCluster, TasksOfAJobMayDiffer) {
  TestCluster c;
  c.node("big", {.gpus = 8}).node("small", {.gpus = 1});
  c.pending("a", {.tasks = 1, .gpus = 8}).task("a", "a-helper", {.gpus = 1});
  EXPECT_EQ(c.cycle(), "bind a-0 big; bind a-helper small");
}

}  // namespace
}  // namespace muster
