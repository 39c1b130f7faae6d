// Which jobs consolidation moves for a job that is kept pending by fragmentation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/test_cluster.hpp"

namespace muster {
namespace {

using testing::HasSubstr;
using testing::Not;

Config without_healing() {
  Config config;
  config.params.compatibility.heal_fragments = false;
  return config;
}

NodeSpec in_rack(const char* rack, int gpus) { return {.gpus = gpus, .labels = {{"rack", rack}}}; }

// Newer jobs on nodes that they fill. Victim order takes all of these first.
void add_newer_jobs(TestCluster& c, int jobs) {
  for (int i = 0; i < jobs; ++i) {
    const std::string name = "newer" + std::to_string(i);
    c.node("full-" + name, {.gpus = 1}).running(name, {.node = "full-" + name});
  }
}

// n1 and n2 each have a device that is half free; one of the shares makes way.
TEST(Defragment, MovesAShareOutOfTheWayOfAWholeGpu) {
  const auto decided = [](const Config& config) {
    TestCluster c(config);
    c.node("n1", {.gpus = 1}).node("n2", {.gpus = 1});
    c.running("half", share_on("n1", 0.5, "g1")).running("less", share_on("n2", 0.4, "g2"));
    add_newer_jobs(c, 20);
    c.pending("a");
    return c.cycle();
  };
  EXPECT_EQ(decided(without_healing()), "");
  EXPECT_EQ(decided({}), "evict less-0; pipeline a-0 n2; pipeline less-0 n1/g1");
}

TEST(Defragment, MovesTheFewestPods) {
  TestCluster c;
  c.node("n1", {.gpus = 4}).node("n2", {.gpus = 4}).node("n3", {.gpus = 2});
  for (int i = 0; i < 3; ++i) c.running("one" + std::to_string(i), {.node = "n1"});
  c.running("two", {.gpus = 2, .node = "n2"});
  add_newer_jobs(c, 20);
  c.pending("a", {.gpus = 4});
  EXPECT_EQ(c.cycle(), "evict two-0; pipeline a-0 n2; pipeline two-0 n3");
}

// Three pods that just began lose less work than one that has run for long.
TEST(Defragment, MovesThePodsThatLoseLeastWork) {
  TestCluster c;
  c.node("n1", {.gpus = 4}).node("n2", {.gpus = 4}).node("n3", {.gpus = 2});
  for (int i = 0; i < 3; ++i)
    c.running("one" + std::to_string(i), {.node = "n1", .age = std::chrono::minutes(5)});
  c.running("two", {.gpus = 2, .node = "n2", .age = std::chrono::hours(50)});
  add_newer_jobs(c, 20);
  c.pending("a", {.gpus = 4, .age = std::chrono::minutes(1)});
  EXPECT_THAT(c.cycle(), HasSubstr("pipeline a-0 n1"));
}

// 20 GPU-hours of work would be lost for a job of one GPU.
void old_shares_in_its_way(TestCluster& c, Duration waited) {
  c.node("n1", {.gpus = 1}).node("n2", {.gpus = 1});
  JobSpec half = share_on("n1", 0.5, "g1"), less = share_on("n2", 0.4, "g2");
  half.age = less.age = std::chrono::hours(50);
  c.running("half", half).running("less", less);
  add_newer_jobs(c, 20);
  c.pending("a", {.age = waited});
}

TEST(Defragment, LosesNoMoreWorkThanTheJobCouldHaveDone) {
  const auto decided = [](Duration waited) {
    TestCluster c;
    old_shares_in_its_way(c, waited);
    return c.cycle();
  };
  EXPECT_EQ(decided(std::chrono::hours(19)), "");
  EXPECT_EQ(decided(std::chrono::hours(21)), "evict less-0; pipeline a-0 n2; pipeline less-0 n1/g1");
}

// The lost work grows by 0.4 GPU-hours an hour. The job could have done 19, and 1 more every hour.
TEST(Defragment, WakesWhenTheMoveBecomesAcceptable) {
  TestCluster c;
  old_shares_in_its_way(c, std::chrono::hours(19));
  EXPECT_EQ(c.cycle(), "");
  EXPECT_EQ(c.decisions().next_deadline, c.now() + std::chrono::minutes(100));
}

// n1 has enough GPUs, but too little CPU for them.
TEST(Defragment, MovesAPodWithoutGpusToANodeWhoseGpusAreInUse) {
  TestCluster c;
  c.node("n1", {.gpus = 2, .cpu = 12}).node("n2", {.gpus = 1, .cpu = 10});
  c.running("cpus", {.gpus = 0, .cpu = 8, .node = "n1"}).running("r", {.cpu = 1, .node = "n2"});
  add_newer_jobs(c, 20);
  c.pending("a", {.gpus = 2, .cpu = 8});
  EXPECT_EQ(c.cycle(), "evict cpus-0; pipeline a-0 n1; pipeline cpus-0 n2");
  EXPECT_EQ(c.cycle(), "bind a-0 n1; bind cpus-0 n2");
}

// Both pods are placed again, one of them in its old place.
TEST(Defragment, AGangStaysWhole) {
  TestCluster c;
  c.node("n1", {.gpus = 2}).node("n2", {.gpus = 2}).node("n3", {.gpus = 2});
  c.running("gang", {.tasks = 2, .nodes = {"n1", "n2"}});
  add_newer_jobs(c, 20);
  c.pending("a", {.gpus = 2, .age = std::chrono::hours(1000)});
  c.pending("b", {.gpus = 2, .age = std::chrono::hours(999)});
  EXPECT_EQ(c.cycle(), "evict gang-0; bind a-0 n3; pipeline b-0 n1; pipeline gang-0 n2");
}

TEST(Defragment, EvictsNoPodThatFindsNoOtherPlace) {
  TestCluster c;
  c.node("n1", {.gpus = 1}).node("n2", {.gpus = 1});
  c.running("half", share_on("n1", 0.5, "g1")).running("most", share_on("n2", 0.6, "g2"));
  add_newer_jobs(c, 20);
  c.pending("a");
  EXPECT_EQ(c.cycle(), "");
}

// The evicted job comes before the other in the queue order, and would return to the place it left.
TEST(Defragment, EvictsNoPodThatWouldReturn) {
  TestCluster c;
  c.node("n1", {.gpus = 2, .cpu = 8}).node("n2", {.gpus = 1, .cpu = 16});
  c.running("cpus", {.gpus = 0, .cpu = 8, .node = "n1"}).running("r", {.cpu = 1, .node = "n2"});
  add_newer_jobs(c, 20);
  c.pending("a", {.gpus = 2, .cpu = 4});
  EXPECT_EQ(c.cycle(), "");
}

TEST(Defragment, NonPreemptibleJobsStay) {
  TestCluster c;
  c.node("n1", {.gpus = 1}).node("n2", {.gpus = 1});
  c.running("half", {.fraction = 0.5, .preemptible = false, .node = "n1", .shares = {"g1"}});
  c.running("less", {.fraction = 0.4, .preemptible = false, .node = "n2", .shares = {"g2"}});
  add_newer_jobs(c, 20);
  c.pending("a");
  EXPECT_EQ(c.cycle(), "");
}

// One pod has to leave rack a, three would have to leave rack b.
TEST(Defragment, ClearsARackForAGang) {
  const auto decided = [](const Config& config) {
    TestCluster c(config);
    c.topology("net", {"rack"});
    c.node("a1", in_rack("a", 2)).node("a2", in_rack("a", 2));
    c.node("b1", in_rack("b", 4)).node("b2", in_rack("b", 2));
    c.running("in-a", {.node = "a1"});
    for (int i = 0; i < 5; ++i) c.running("in-b" + std::to_string(i), {.node = i < 3 ? "b1" : "b2"});
    add_newer_jobs(c, 20);
    c.pending("gang", {.tasks = 4, .topology = {.topology = "net", .required = "rack"}});
    return c.cycle();
  };
  EXPECT_EQ(decided(without_healing()), "");
  EXPECT_THAT(decided({}), HasSubstr("evict in-a-0;"));
  EXPECT_THAT(decided({}), Not(HasSubstr("in-b")));
}

// With two jobs at once, it is not known which job gets which place afterwards.
TEST(Defragment, HelpsOneJobAtATime) {
  TestCluster c;
  c.node("n1", {.gpus = 2}).node("n2", {.gpus = 2});
  for (int i = 0; i < 4; ++i)
    c.running("share" + std::to_string(i), share_on(i < 2 ? "n1" : "n2", 0.3, "g" + std::to_string(i)));
  add_newer_jobs(c, 20);
  c.pending("a").pending("b");
  EXPECT_THAT(c.cycle(), testing::AllOf(HasSubstr("pipeline a-0"), Not(HasSubstr("pipeline b-0"))));
  EXPECT_THAT(c.cycle(), testing::AllOf(HasSubstr("bind a-0"), HasSubstr("pipeline b-0")));
  EXPECT_THAT(c.cycle(), HasSubstr("bind b-0"));
  EXPECT_EQ(c.cycle(), "");
}

TEST(Defragment, MovesNoMoreJobsThanTheLimit) {
  const auto decided = [](int most) {
    Config config;
    config.params.max_consolidation_preemptees = most;
    TestCluster c(config);
    c.node("n1", {.gpus = 4}).node("n2", {.gpus = 2});
    c.running("x", {.node = "n1"}).running("y", {.node = "n1"});
    add_newer_jobs(c, 20);
    c.pending("a", {.gpus = 4});
    return c.cycle();
  };
  EXPECT_EQ(decided(1), "");
  EXPECT_EQ(decided(2), "evict x-0; evict y-0; pipeline a-0 n1; pipeline x-0 n2; pipeline y-0 n2");
}

}  // namespace
}  // namespace muster
