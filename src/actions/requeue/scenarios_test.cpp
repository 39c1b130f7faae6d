// The scenarios of requeue.md, by number, each over several cycles of the default actions.
#include <gtest/gtest.h>

#include "tests/requeue_for_test.hpp"
#include "util/keys.hpp"

namespace muster {
namespace {

using RequeueScenarios = RequeueTest;

TEST_F(RequeueScenarios, S1RunsOnWhileNoJobNeedsThePlace) {
  c.node("node0", {.gpus = 2}).running("v", kOverdue);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(c.advance(1h).cycle(), "");
    EXPECT_TRUE(c.decisions().patches.empty());
    EXPECT_EQ(nominated(), "v");
  }
}

TEST_F(RequeueScenarios, S2TheOverdueJobGoesBeforeTheNewerOne) {
  TestCluster preempt_alone;
  preempt_alone.only({"allocate", "preempt"});
  for (TestCluster* each : {&c, &preempt_alone})
    each->node("node0", {.gpus = 2})
        .running("v", kOverdue)
        .running("w", kNewer)
        .pending("p", {.priority = 75});
  EXPECT_EQ(preempt_alone.cycle(), "evict w-0; pipeline p-0 node0");

  EXPECT_EQ(c.cycle(), "evict v-0; pipeline p-0 node0");
  EXPECT_EQ(action_of_first_eviction(), "requeue");
  EXPECT_EQ(c.written("v", keys::kRequeueNotBefore), "2025-06-01T12:05:00Z");
  EXPECT_EQ(c.written("v", keys::kRequeuedAt), "2025-06-01T12:00:00Z");
  EXPECT_EQ(c.cycle(), "bind p-0 node0");
  expect_quiet(5, 10min);
}

TEST_F(RequeueScenarios, S2TheDelayOfTheJobCounts) {
  JobSpec v = kOverdue;
  v.requeue_delay = "1h";
  c.node("node0", {.gpus = 1}).running("v", v).pending("p", {.priority = 75});
  c.cycle();
  EXPECT_EQ(c.written("v", keys::kRequeueNotBefore), "2025-06-01T13:00:00Z");
  EXPECT_EQ(c.cycle(), "bind p-0 node0");
  EXPECT_EQ(c.written("v", keys::kRequeueNotBefore), "") << "written once";
}

TEST_F(RequeueScenarios, S3NothingChangesIfNoEvictionMakesThePreemptorFit) {
  c.node("node0", {.gpus = 2});
  c.running("v", kOverdue).running("n", {.preemptible = false, .node = "node0"});
  c.pending("p", {.gpus = 2, .priority = 75});
  c.cluster().refresh(c.now());
  const std::string before = c.cluster().fingerprint();
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(c.cycle(), "");
    EXPECT_EQ(c.cluster().fingerprint(), before);
    EXPECT_TRUE(c.decisions().patches.empty());
    EXPECT_FALSE(c.cluster().job(c.job_id("v")).requeue_not_before);
    EXPECT_FALSE(c.cluster().job(c.job_id("v")).requeued_at);
    EXPECT_EQ(record().rollbacks(), 1U);
    EXPECT_EQ(record().commits(), 0U);
  }
}

// A search that gets as far as evicting and placing, and is undone.
TEST_F(RequeueScenarios, S3AScenarioThatFailsLeavesNoTrace) {
  c.only({"allocate", "requeue"});
  c.node("node0", {.gpus = 1}).running("v", kOverdue);
  c.pending("first", {.priority = 80, .preemption_delay = 24h}).pending("p", {.priority = 75});
  c.cluster().refresh(c.now());
  const std::string before = c.cluster().fingerprint();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(c.cycle(), "");
    EXPECT_EQ(c.cluster().fingerprint(), before);
    EXPECT_EQ(record().rollbacks(), 1U);
    EXPECT_GT(c.decisions().actions.back().scenarios_simulated, 0);
  }
}

TEST_F(RequeueScenarios, S4ARestartedJobIsNotNominatedUntilItsDelayIsOver) {
  JobSpec v{.node = "node0", .age = 4h, .expected_runtime = "1m", .requeue_delay = "30m"};
  c.node("node0", {.gpus = 1}).running("v", v).pending("p", {.priority = 75});
  EXPECT_EQ(c.cycle(), "evict v-0; pipeline p-0 node0");
  EXPECT_EQ(c.cycle(), "bind p-0 node0");
  EXPECT_EQ(skipped(), "not_running");
  c.advance(1min).cluster().remove("Pod", "default", "p-0");
  EXPECT_EQ(c.cycle(), "bind v-0 node0");
  EXPECT_EQ(c.written("v", keys::kLastStart), "2025-06-01T12:01:00Z");
  for (int minutes = 10; minutes < 30; minutes += 10) {
    EXPECT_EQ(c.advance(10min).cycle(), "");
    EXPECT_EQ(skipped(), "cooldown") << minutes;
    EXPECT_EQ(nominated(), "");
  }
  EXPECT_EQ(c.advance(9min).cycle(), "");
  EXPECT_EQ(nominated(), "v");
  EXPECT_EQ(skipped(), "");
}

TEST_F(RequeueScenarios, S5AMinimumRuntimeProtectsANominatedJobUntilItEnds) {
  c.queue("q", {.preempt_min_runtime = 2h + 3s}).node("node0", {.gpus = 1});
  c.running("v", {.queue = "q", .node = "node0", .age = 2h, .expected_runtime = "1h"});
  c.pending("p", {.queue = "q", .priority = 75});
  for (int i = 0; i < 3; ++i, c.advance(1s)) {
    EXPECT_EQ(c.cycle(), "");
    EXPECT_EQ(nominated(), "v");
    ASSERT_EQ(record().passed_over.size(), 1U);
    EXPECT_EQ(record().passed_over[0].nominators, "expectedruntime");
    EXPECT_EQ(record().passed_over[0].reason, "minruntime_protected");
    EXPECT_EQ(record().rollbacks(), 0U);
  }
  EXPECT_EQ(c.cycle(), "evict v-0; pipeline p-0 node0");
  EXPECT_EQ(action_of_first_eviction(), "requeue");
  EXPECT_EQ(c.cycle(), "bind p-0 node0");
}

TEST_F(RequeueScenarios, S6TwoNominatorsMakeOneAttemptWithBothNames) {
  c.policy().plugins.push_back(nominator("second", "v"));
  c.node("node0", {.gpus = 1}).running("v", kOverdue).pending("p", {.priority = 75});
  EXPECT_EQ(c.cycle(), "evict v-0; pipeline p-0 node0");
  ASSERT_EQ(record().nominated.size(), 1U);
  EXPECT_EQ(record().nominated[0].all_names(), "expectedruntime,second");
  ASSERT_EQ(record().attempts.size(), 1U);
  EXPECT_EQ(record().attempts[0].nominators, "expectedruntime,second");
  EXPECT_TRUE(record().attempts[0].found_room);
  EXPECT_EQ(c.cycle(), "bind p-0 node0");
  EXPECT_TRUE(record().attempts.empty());
}

TEST_F(RequeueScenarios, S7EvictsAsManyAsNeededInOneCommitAndNoThirdJob) {
  c.node("node0", {.gpus = 3});
  for (const auto& [name, age] : {std::pair("longest", 6h), {"long", 5h}, {"shortest", 4h}}) {
    JobSpec job = kOverdue;
    job.age = age;
    c.running(name, job);
  }
  c.pending("p", {.gpus = 2, .priority = 75});
  EXPECT_EQ(c.cycle(), "evict long-0; evict longest-0; pipeline p-0 node0");
  EXPECT_EQ(record().commits(), 1U);
  EXPECT_EQ(c.cycle(), "bind p-0 node0");
  expect_quiet(5, 10min);
  EXPECT_EQ(c.status("shortest-0"), TaskStatus::kRunning);
}

TEST_F(RequeueScenarios, S8APreemptorOfEqualOrLowerRankGetsNothingByDefault) {
  c.node("node0", {.gpus = 1}).running("v", kOverdue).pending("equal", {.age = 1min});
  c.pending("lesser", {.priority = 40, .age = 1min});
  expect_quiet(5, 10min);
  EXPECT_EQ(record().rollbacks(), 0U) << "they outrank no job";
}

TEST_F(RequeueScenarios, S8EqualsTakeTurnsBySchedulingOrder) {
  TestCluster turns(with_requeue_arguments({{"contenders", "scheduling-order"}}));
  turns.node("node0", {.gpus = 1})
      .running("v", kOverdue)
      .pending("p", {.age = 1min, .expected_runtime = "1h"});
  turns.pending("lesser", {.priority = 40, .age = 10h});
  EXPECT_EQ(turns.cycle(), "evict v-0; pipeline p-0 node0");
  EXPECT_EQ(turns.cycle(), "bind p-0 node0");
  int evictions = 0;
  for (int minute = 0; minute < 180; ++minute) {
    turns.advance(1min).cycle();
    evictions += static_cast<int>(turns.decisions().evictions.size());
    EXPECT_EQ(turns.status("lesser-0"), TaskStatus::kPending);
  }
  EXPECT_GE(evictions, 2);
  EXPECT_LE(evictions, 3) << "turns are no shorter than the expected runtime";
}

TEST_F(RequeueScenarios, S9ServesTheQueueThatIsEntitledToTheResources) {
  TestCluster reclaim_alone;
  reclaim_alone.only({"allocate", "reclaim"});
  JobSpec v = kOverdue, w = kNewer;
  v.queue = w.queue = "rich";
  for (TestCluster* each : {&c, &reclaim_alone}) {
    each->node("node0", {.gpus = 2}).queue("rich", {.deserved = 1}).queue("poor", {.deserved = 1});
    each->running("v", v).running("w", w).pending("p", {.queue = "poor"});
  }
  EXPECT_EQ(reclaim_alone.cycle(), "evict w-0; pipeline p-0 node0");

  EXPECT_EQ(c.cycle(), "evict v-0; pipeline p-0 node0");
  EXPECT_EQ(action_of_first_eviction(), "requeue");
  EXPECT_EQ(c.cycle(), "bind p-0 node0");
  expect_quiet(5, 10min);
}

TEST_F(RequeueScenarios, S9AQueueAtItsShareGetsNothing) {
  JobSpec v = kOverdue;
  v.queue = "rich";
  c.node("node0", {.gpus = 2})
      .queue("rich", {.deserved = 1, .weight = 0})
      .queue("poor", {.deserved = 1, .weight = 0});
  c.running("v", v).running("x", {.queue = "poor", .node = "node0"}).pending("p", {.queue = "poor"});
  expect_quiet(5, 10min);
  EXPECT_EQ(nominated(), "v");
}

struct BadValue {
  JobSpec job;
  std::string reason, error;
};

class S10BadValues : public testing::TestWithParam<BadValue> {};

TEST_P(S10BadValues, AreCountedAndNeverNominated) {
  TestCluster c;
  JobSpec job = GetParam().job;
  job.node = "node0";
  c.only({"allocate", "requeue"}).node("node0", {.gpus = 1}).running("v", job).pending("p", {.priority = 75});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(c.cycle(), "");
    const RequeueRecord& record = *c.decisions().requeue;
    ASSERT_EQ(record.skipped.size(), 1U);
    EXPECT_EQ(record.skipped[0].reason, GetParam().reason);
    EXPECT_EQ(record.skipped[0].problem, GetParam().error);
    EXPECT_TRUE(record.nominated.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Requeue, S10BadValues,
    testing::Values(
        BadValue{{.expected_runtime = "soon"},
                 "invalid_duration",
                 "annotation kai.scheduler/expected-runtime: \"soon\" is not a positive duration"},
        BadValue{{.expected_runtime = "-1h"},
                 "invalid_duration",
                 "annotation kai.scheduler/expected-runtime: \"-1h\" is not a positive duration"},
        BadValue{{.expected_runtime = "0"},
                 "invalid_duration",
                 "annotation kai.scheduler/expected-runtime: \"0\" is not a positive duration"},
        BadValue{{.expected_runtime = "5"},
                 "invalid_duration",
                 "annotation kai.scheduler/expected-runtime: \"5\" is not a positive duration"},
        BadValue{{.expected_runtime = ""},
                 "invalid_duration",
                 "annotation kai.scheduler/expected-runtime: \"\" is not a positive duration"},
        BadValue{{.age = -1h, .expected_runtime = "1h"},
                 "clock_skew",
                 "its last start, 2025-06-01T13:00:00Z, is in the future"},
        BadValue{{.expected_runtime = "1h", .requeue_not_before = "tomorrow"},
                 "invalid_not_before",
                 "annotation kai.scheduler/requeue-not-before: \"tomorrow\" is not an RFC 3339 timestamp"},
        BadValue{{.priority = 100, .expected_runtime = "1h"}, "not_preemptible", ""}));

TEST_F(RequeueScenarios, S10TheCooldownOfAJobThatIsNotDueIsIgnored) {
  c.node("node0", {.gpus = 2}).pending("p", {.tasks = 2, .priority = 75});
  c.running("unreadable",
            {.node = "node0", .age = 1h, .expected_runtime = "2h", .requeue_not_before = "tomorrow"});
  c.running(
      "cooling",
      {.node = "node0", .age = 1h, .expected_runtime = "2h", .requeue_not_before = "2025-06-01T12:05:00Z"});
  c.only({"allocate", "requeue"});
  EXPECT_EQ(c.cycle(), "");
  EXPECT_EQ(skipped(), "");
  EXPECT_EQ(nominated(), "");
}

TEST_F(RequeueScenarios, S10AJobWithoutAKnownStartIsNotNominated) {
  JobSpec unseen = kOverdue;
  unseen.is_start_known = false;
  c.node("node0", {.gpus = 1}).running("v", unseen);
  for (int i = 0; i < 3; ++i) {
    c.cycle();
    EXPECT_EQ(skipped(), "missing_start");
  }
}

TEST_F(RequeueScenarios, S10ABadDelayIsReportedInEveryCycleAndTheDefaultUsed) {
  JobSpec v = kOverdue;
  v.requeue_delay = "-1h";
  c.node("node0", {.gpus = 1}).running("v", v);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(c.cycle(), "");
    ASSERT_EQ(record().warnings.size(), 1U);
    EXPECT_NE(record().warnings[0].problem.find("\"-1h\""), std::string::npos);
  }
  c.pending("p", {.priority = 75}).cycle();
  EXPECT_EQ(c.written("v", keys::kRequeueNotBefore), "2025-06-01T12:05:00Z");
  EXPECT_EQ(record().warnings.size(), 1U);
}

TEST_F(RequeueScenarios, S10AnInvalidOrFutureRequeueTimeIsIgnored) {
  c.node("node0", {.gpus = 1});
  c.pending("first", {.age = 2h, .requeued_at = "long ago"}).pending("second", {.age = 1h});
  EXPECT_EQ(c.cycle(), "bind first-0 node0");
  c.advance(0s).cluster().remove("Pod", "default", "first-0");
  c.pending("future", {.age = 3h, .requeued_at = "2025-06-02T12:00:00Z"});
  EXPECT_EQ(c.cycle(), "bind second-0 node0") << "a requeue time in the future counts as now";
}

TEST_F(RequeueScenarios, S11NothingMovesAfterwards) {
  c.node("node0", {.gpus = 2}).running("v", kOverdue).running("w", kNewer).pending("p", {.priority = 75});
  EXPECT_EQ(c.cycle(), "evict v-0; pipeline p-0 node0");
  EXPECT_EQ(c.cycle(), "bind p-0 node0");
  expect_quiet(20);
  expect_quiet(20, 1h);
}

}  // namespace
}  // namespace muster
