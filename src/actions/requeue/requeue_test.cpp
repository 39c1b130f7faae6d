// Requeue; scenarios_test.cpp has the scenarios of requeue.md.
#include "actions/requeue/requeue.hpp"

#include <gtest/gtest.h>

#include "tests/requeue_for_test.hpp"
#include "tests/sums_text.hpp"
#include "util/keys.hpp"

namespace muster {
namespace {

TEST_F(RequeueTest, ANominationByAnyPluginIsEnough) {
  c.policy().plugins.push_back(nominator("second", "w"));
  c.node("node0", {.gpus = 1}).running("w", kNewer).pending("p", {.priority = 75});
  EXPECT_EQ(c.cycle(), "evict w-0; pipeline p-0 node0");
  EXPECT_EQ(action_of_first_eviction(), "requeue");
}

TEST_F(RequeueTest, AWaitingJobIsNotNominated) {
  c.pending("p", {.expected_runtime = "1h"}).cycle();
  EXPECT_EQ(skipped(), "not_running");
}

TEST_F(RequeueTest, ARequeuedJobGoesBehindItsEquals) {
  c.node("node0", {.gpus = 1});
  c.pending("older", {.age = 5h, .requeued_at = "2025-06-01T11:00:00Z"}).pending("newer", {.age = 2h});
  EXPECT_EQ(c.cycle(), "bind newer-0 node0");
}

TEST_F(RequeueTest, TheQueueHasDefaultsForItsJobs) {
  c.queue("top", {.expected_runtime = "1h", .requeue_delay = "30m"}).queue("q", {.parent = "top"});
  c.node("node0", {.gpus = 2});
  c.running("v", {.queue = "q", .node = "node0", .age = 4h});
  c.running("w", {.queue = "q", .node = "node0", .age = 4h, .expected_runtime = "0"});
  c.pending("p", {.queue = "q", .priority = 75});
  EXPECT_EQ(c.cycle(), "evict v-0; pipeline p-0 node0");
  EXPECT_EQ(record().nominated.size(), 1U);
  EXPECT_EQ(skipped(), "") << "p is only pending; w opted out";
  EXPECT_EQ(c.written("v", keys::kRequeueNotBefore), "2025-06-01T12:30:00Z");
}

TEST_F(RequeueTest, BadDefaultsOfAQueueAreReportedOnceForTheQueue) {
  c.queue("top", {.expected_runtime = "1h"});
  c.queue("q", {.parent = "top", .expected_runtime = "soon", .requeue_delay = "-1h"});
  c.node("node0", {.gpus = 2});
  for (const char* name : {"v", "w"}) c.running(name, {.queue = "q", .node = "node0", .age = 4h});
  c.pending("p", {.queue = "q", .priority = 75}).only({"allocate", "requeue"});
  EXPECT_EQ(c.cycle(), "") << "the nearest queue decides, and its value is invalid";
  EXPECT_EQ(skipped() + nominated(), "");
  EXPECT_TRUE(record().warnings.empty());
  ASSERT_EQ(record().queue_warnings.size(), 2U);
  EXPECT_EQ(c.cluster().queue(record().queue_warnings[0].queue).name, "q");
  EXPECT_EQ(record().queue_warnings[0].problem,
            "annotation kai.scheduler/expected-runtime: \"soon\" is not a duration of zero or more; jobs of "
            "the queue get no expected runtime");
  EXPECT_EQ(record().queue_warnings[1].problem,
            "annotation kai.scheduler/requeue-delay: \"-1h\" is not a duration of zero or more; the default "
            "is used");
}

TEST_F(RequeueTest, GoodDefaultsOfAQueueAreNotReported) {
  c.queue("q", {.expected_runtime = "0", .requeue_delay = "0s"}).queue("r", {.expected_runtime = "1d"});
  c.node("node0", {.gpus = 1}).running("v", {.queue = "q", .node = "node0", .age = 4h}).cycle();
  EXPECT_TRUE(record().queue_warnings.empty());
}

TEST_F(RequeueTest, AnElasticJobLosesItsSurplusFirst) {
  c.only({"allocate", "requeue"}).node("node0", {.gpus = 3});
  c.running("v", {.tasks = 3, .min = 1, .node = "node0", .age = 4h, .expected_runtime = "1h"});
  c.pending("p", {.priority = 75});
  EXPECT_EQ(c.cycle(), "evict v-2; pipeline p-0 node0");
}

TEST_F(RequeueTest, ASemiPreemptibleJobLosesOnlyItsSurplus) {
  c.only({"allocate", "requeue"}).node("node0", {.gpus = 2}).queue("q", {.deserved = 2});
  c.running("v", {.queue = "q",
                  .tasks = 2,
                  .min = 1,
                  .node = "node0",
                  .age = 4h,
                  .preemptibility = "semi-preemptible",
                  .expected_runtime = "1h"});
  c.pending("p", {.queue = "q", .priority = 75}).pending("o", {.queue = "q", .priority = 75});
  EXPECT_EQ(c.cycle(), "evict v-1; pipeline p-0 node0");
}

TEST_F(RequeueTest, ADryRunReportsAndEvictsNothing) {
  TestCluster dry(with_requeue_arguments({{"dryRun", "true"}}));
  dry.only({"allocate", "requeue"});
  dry.node("node0", {.gpus = 1}).running("v", kOverdue).pending("p", {.priority = 75});
  EXPECT_EQ(dry.cycle(), "");
  const RequeueRecord& r = *dry.decisions().requeue;
  EXPECT_EQ(r.commits(), 0U) << "nothing was evicted";
  EXPECT_EQ(r.rollbacks(), 0U) << "there was room";
  ASSERT_EQ(r.attempts.at(0).victims.size(), 1U);
  EXPECT_EQ(r.attempts[0].victims[0].tasks, std::vector{dry.task_id("v-0")});
  EXPECT_EQ(r.attempts[0].victims[0].not_before, dry.now() + 5min);
  EXPECT_TRUE(dry.decisions().patches.empty());
}

TEST_F(RequeueTest, EvictsNothingIfAnotherJobWouldTakeThePlace) {
  c.only({"allocate", "requeue"}).node("node0", {.gpus = 1}).running("v", kOverdue);
  c.pending("first", {.priority = 80, .preemption_delay = 24h}).pending("p", {.priority = 75});
  EXPECT_EQ(c.cycle(), "");
  EXPECT_EQ(record().rollbacks(), 1U);
}

TEST_F(RequeueTest, WithoutOptInNothingChanges) {
  TestCluster without;
  without.only({"allocate", "consolidation", "reclaim", "preempt", "stalegangeviction"});
  for (TestCluster* each : {&c, &without})
    each->node("node0", {.gpus = 2})
        .running("v", {.node = "node0"})
        .running("w", {.node = "node0"})
        .pending("p", {.priority = 75});
  EXPECT_EQ(c.cycle(), without.cycle());
  EXPECT_EQ(sums_text(c.cluster()), sums_text(without.cluster()));
}

}  // namespace
}  // namespace muster
