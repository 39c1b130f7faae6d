// Which failed jobs let another job skip its search, with the complete comparison and with KAI's.
#include "engine/search/failed_jobs.hpp"

#include <gtest/gtest.h>

#include "tests/test_cluster.hpp"

namespace muster {
namespace {

// The jobs that skipped their search, and the failed job they resemble: "second like first".
std::string spared(const TestCluster& c) {
  std::string text;
  for (const WaitingJob& w : c.decisions().waiting)
    for (const SearchReport& report : w.searches)
      if (report.end == SearchEnd::kLikeJob)
        text += c.cluster().job(w.job).name + " like " + c.cluster().job(report.like).name + "; ";
  return text;
}

// A node with four GPUs. Half of its CPUs can never be freed; its GPUs are held by two evictable jobs.
class FailedJobsTest : public testing::TestWithParam<bool> {
 protected:
  FailedJobsTest() {
    c.policy().settings.compatibility.compare_failed_fully = GetParam();
    c.policy().settings.compatibility.settled_plans = false;  // one look at each job
    c.only({"preempt"}).queue("q", {.deserved = 4});
    c.node("n1", {.gpus = 4, .cpu = 20, .extra = {{"example.com/link", 2000}}});
    c.running("hog", {.queue = "q", .gpus = 0, .cpu = 10, .priority = 125, .node = "n1"});
    c.running("low-a", {.queue = "q", .gpus = 2, .priority = 40, .node = "n1"});
    c.running("low-b", {.queue = "q", .gpus = 2, .priority = 40, .node = "n1"});
  }
  bool is_ours() const { return GetParam(); }
  void expect(const std::string& ours, const std::string& kai) {
    EXPECT_EQ(c.cycle(), is_ours() ? ours : kai);
  }

  TestCluster c;
};

INSTANTIATE_TEST_SUITE_P(BothWays, FailedJobsTest, testing::Bool(),
                         [](const auto& way) { return way.param ? "Ours" : "Kai"; });

TEST_P(FailedJobsTest, AJobThatAsksForNoLessIsSkipped) {
  c.pending("first", {.queue = "q", .gpus = 1, .cpu = 11});
  c.pending("second", {.queue = "q", .gpus = 1, .cpu = 11});
  c.pending("third", {.queue = "q", .gpus = 2, .cpu = 12});
  expect("", "");
  EXPECT_EQ(spared(c), "second like first; third like first; ");
}

TEST_P(FailedJobsTest, AJobThatAsksForMoreGpusButFewerCpusIsTried) {
  c.pending("first", {.queue = "q", .gpus = 1, .cpu = 11});
  c.pending("second", {.queue = "q", .gpus = 2, .cpu = 1});
  expect("evict low-b-0; pipeline second-0 n1", "");
  EXPECT_EQ(spared(c), is_ours() ? "" : "second like first; ");
}

TEST_P(FailedJobsTest, EveryResourceCounts) {
  c.running("wired", {.queue = "q", .tasks = 0, .min = 1, .priority = 125});
  c.task("wired", "wired-0", {.gpus = 0, .extra = {{"example.com/link", 1000}}}, "n1");
  c.pending("first", {.queue = "q", .tasks = 0, .min = 1});
  c.task("first", "first-0", {.gpus = 2, .extra = {{"example.com/link", 2000}}});
  c.pending("second", {.queue = "q", .gpus = 2});
  expect("evict low-b-0; pipeline second-0 n1", "");
}

TEST_P(FailedJobsTest, OnlyThePodsThatMustStartTogetherCount) {
  c.pending("first", {.queue = "q", .tasks = 3, .gpus = 2});
  c.pending("second", {.queue = "q", .tasks = 3, .min = 1, .gpus = 2});
  expect("evict low-b-0; pipeline second-0 n1", "");
}

TEST_P(FailedJobsTest, MorePodsAreNoEasier) {
  c.pending("first", {.queue = "q", .tasks = 3, .gpus = 2});
  c.pending("second", {.queue = "q", .tasks = 4, .gpus = 2});
  expect("", "");
  EXPECT_EQ(spared(c), is_ours() ? "second like first; " : "") << "KAI compares only jobs of equal size";
}

TEST_P(FailedJobsTest, ANodeSelectorIsAConstraint) {
  c.pending("first", {.queue = "q", .constraints = {.node_selector = {{"zone", "a"}}}});
  c.pending("second", {.queue = "q"});
  expect("evict low-b-0; pipeline second-0 n1", "evict low-b-0; pipeline second-0 n1");
}

TEST_P(FailedJobsTest, AJobThatCannotBeComparedDoesNotPushOutTheOther) {
  c.pending("a", {.queue = "q", .gpus = 1, .cpu = 12});
  c.pending("b", {.queue = "q", .gpus = 3, .cpu = 11});
  c.pending("c", {.queue = "q", .gpus = 1, .cpu = 13});
  c.pending("d", {.queue = "q", .gpus = 4, .cpu = 11});
  c.cycle();
  EXPECT_EQ(spared(c), is_ours() ? "c like a; d like b; " : "b like a; c like a; d like a; ");
}

// ---------------------------------------------------------------- consolidation, where the pool is all
// queues

class FailedMovesTest : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(BothWays, FailedMovesTest, testing::Bool(),
                         [](const auto& way) { return way.param ? "Ours" : "Kai"; });

TEST_P(FailedMovesTest, TheLimitOfOneQueueIsNotThatOfAnother) {
  TestCluster c;
  c.policy().settings.compatibility.compare_failed_fully = GetParam();
  c.only({"consolidation"}).queue("tight", {.deserved = 2, .limit = 1}).queue("wide", {.deserved = 1});
  c.node("n1", {.gpus = 2}).node("n2", {.gpus = 2});
  c.running("a", {.queue = "wide", .node = "n1"}).running("b", {.queue = "wide", .node = "n2"});
  c.pending("first", {.queue = "tight", .gpus = 2}).pending("second", {.queue = "wide", .gpus = 2});
  EXPECT_EQ(c.cycle(), GetParam() ? "evict b-0; pipeline b-0 n1; pipeline second-0 n2" : "");
}

}  // namespace
}  // namespace muster
