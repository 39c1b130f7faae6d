// Requeue, with the scenarios of requeue.md.
#include "actions/requeue.hpp"

#include <gtest/gtest.h>

#include "engine/session.hpp"
#include "tests/sums_text.hpp"
#include "tests/test_cluster.hpp"
#include "util/keys.hpp"

namespace muster {
namespace {

const JobSpec kOverdue{.node = "node0", .age = 4h, .expected_runtime = "1h"};
const JobSpec kNewer{.node = "node0", .age = 1h};

Config with_arguments(std::map<std::string, std::string> arguments) {
  Config config;
  config.action_arguments["requeue"] = {.name = "requeue", .arguments = std::move(arguments)};
  return config;
}

// A second nominator: takes every running job of that name.
PluginFactory nominator(const std::string& plugin, const std::string& job) {
  class Nominator final : public Plugin {
   public:
    Nominator(std::string name, std::string victim) : name_(std::move(name)), victim_(std::move(victim)) {}
    void open(Session& s, Hooks& hooks) override {
      hooks.nominate.add([this, &s](RequeueRecord& record) {
        record.nominate(s.cluster.find_job("default", victim_), name_, Duration::zero());
      });
    }

   private:
    std::string name_, victim_;
  };
  return {plugin, [=] { return std::make_unique<Nominator>(plugin, job); }};
}

class RequeueTest : public testing::Test {
 protected:
  const RequeueRecord& record() const { return *c.decisions().requeue; }
  std::string skipped() const {
    std::string text;
    for (const NominationSkip& s : record().skipped) text += (text.empty() ? "" : " ") + s.reason;
    return text;
  }
  std::string action_of_first_eviction() const {
    return c.decisions().evictions.empty() ? "" : c.decisions().evictions.front().action;
  }
  TestCluster c;
};

TEST_F(RequeueTest, RunsOnWhileNobodyNeedsThePlace) {  // scenario 1
  c.node("node0", {.gpus = 2}).running("v", kOverdue);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(c.cycle(), "");
    EXPECT_TRUE(c.decisions().patches.empty());
    EXPECT_EQ(record().nominated.size(), 1U);
  }
}

TEST_F(RequeueTest, TheOverdueJobGoesBeforeTheNewerOne) {  // scenario 2
  c.node("node0", {.gpus = 2}).running("v", kOverdue).running("w", kNewer).pending("p", {.priority = 75});
  EXPECT_EQ(c.cycle(), "evict v-0; pipeline p-0 node0");
  EXPECT_EQ(action_of_first_eviction(), "requeue");
  EXPECT_EQ(c.written("v", keys::kRequeueNotBefore), "2025-06-01T12:05:00Z");
  EXPECT_EQ(c.written("v", keys::kRequeuedAt), "2025-06-01T12:00:00Z");
  EXPECT_EQ(c.cycle(), "bind p-0 node0");
  EXPECT_EQ(record().commits(), 0U);
}

TEST_F(RequeueTest, TheDelayOfTheJobCounts) {
  JobSpec v = kOverdue;
  v.requeue_delay = "1h";
  c.node("node0", {.gpus = 1}).running("v", v).pending("p", {.priority = 75});
  c.cycle();
  EXPECT_EQ(c.written("v", keys::kRequeueNotBefore), "2025-06-01T13:00:00Z");
}

TEST_F(RequeueTest, ABadDelayIsTheDefaultAndSaidSo) {
  JobSpec v = kOverdue;
  v.requeue_delay = "-1h";
  c.node("node0", {.gpus = 1}).running("v", v).pending("p", {.priority = 75});
  c.cycle();
  EXPECT_EQ(c.written("v", keys::kRequeueNotBefore), "2025-06-01T12:05:00Z");
  ASSERT_EQ(record().warnings.size(), 1U);
  EXPECT_NE(record().warnings[0].problem.find("\"-1h\""), std::string::npos);
}

TEST_F(RequeueTest, NothingChangesWhereTheContenderWouldStillNotFit) {  // scenario 3
  c.only({"allocate", "requeue"});
  c.node("node0", {.gpus = 2}).running("v", kOverdue).running("w", kNewer).pending("p", {.gpus = 2, .priority = 75});
  c.cluster().refresh(c.now());
  const std::string before = c.cluster().fingerprint();
  EXPECT_EQ(c.cycle(), "");
  EXPECT_EQ(c.cluster().fingerprint(), before);
  EXPECT_TRUE(c.decisions().patches.empty());
  EXPECT_EQ(record().rollbacks(), 1U);
  EXPECT_EQ(record().commits(), 0U);
}

TEST_F(RequeueTest, IsLeftAloneUntilItsDelayIsOver) {  // scenario 4
  JobSpec v = kOverdue;
  v.requeue_not_before = "2025-06-01T12:00:01Z";
  c.only({"allocate", "requeue"}).node("node0", {.gpus = 1}).running("v", v).pending("p", {.priority = 75});
  EXPECT_EQ(c.cycle(), "");
  EXPECT_EQ(skipped(), "cooldown");
  c.advance(1s);
  EXPECT_EQ(c.cycle(), "evict v-0; pipeline p-0 node0");
}

TEST_F(RequeueTest, IsProtectedByItsMinimumRuntime) {  // scenario 5
  JobSpec v{.queue = "q", .node = "node0", .age = 2h, .expected_runtime = "1h"};
  c.queue("q", {.preempt_min_runtime = 2h + 1s}).node("node0", {.gpus = 1});
  c.running("v", v).pending("p", {.queue = "q", .priority = 75});
  EXPECT_EQ(c.cycle(), "");
  EXPECT_EQ(record().nominated.size(), 1U);
  ASSERT_EQ(record().passed_over.size(), 1U);
  EXPECT_EQ(record().passed_over[0].nominators, "expectedruntime");
  EXPECT_EQ(record().passed_over[0].reason, "minruntime_protected");
  EXPECT_EQ(record().rollbacks(), 0U);
  c.advance(1s);
  EXPECT_EQ(c.cycle(), "evict v-0; pipeline p-0 node0");
  EXPECT_EQ(action_of_first_eviction(), "requeue");
}

TEST_F(RequeueTest, TwoNominatorsMakeOneNominationWithBothNames) {  // scenario 6
  c.policy().plugins.push_back(nominator("second", "v"));
  c.node("node0", {.gpus = 1}).running("v", kOverdue).pending("p", {.priority = 75});
  EXPECT_EQ(c.cycle(), "evict v-0; pipeline p-0 node0");
  ASSERT_EQ(record().nominated.size(), 1U);
  EXPECT_EQ(record().nominated[0].all_names(), "expectedruntime,second");
  ASSERT_EQ(record().attempts.size(), 1U);
  EXPECT_EQ(record().attempts[0].nominators, "expectedruntime,second");
  EXPECT_TRUE(record().attempts[0].is_commit);
}

TEST_F(RequeueTest, ANominatorOfItsOwnIsEnough) {
  c.policy().plugins.push_back(nominator("second", "w"));
  c.node("node0", {.gpus = 1}).running("w", kNewer).pending("p", {.priority = 75});
  EXPECT_EQ(c.cycle(), "evict w-0; pipeline p-0 node0");
  EXPECT_EQ(action_of_first_eviction(), "requeue");
}

TEST_F(RequeueTest, TakesAsManyAsItNeedsInOneCommit) {  // scenario 7
  c.node("node0", {.gpus = 3});
  for (const char* name : {"u", "v", "w"}) c.running(name, kOverdue);
  c.pending("p", {.gpus = 2, .priority = 75});
  c.cycle();
  EXPECT_EQ(c.decisions().evictions.size(), 2U);
  EXPECT_EQ(record().commits(), 1U);
}

TEST_F(RequeueTest, AnEqualGetsThePlaceOnlyBySchedulingOrder) {  // scenario 8
  c.node("node0", {.gpus = 1}).running("v", kOverdue).pending("p", {.age = 1min});
  EXPECT_EQ(c.cycle(), "");

  TestCluster turns(with_arguments({{"contenders", "scheduling-order"}}));
  turns.node("node0", {.gpus = 1}).running("v", kOverdue).pending("p", {.age = 1min, .expected_runtime = "1h"});
  EXPECT_EQ(turns.cycle(), "evict v-0; pipeline p-0 node0");
  EXPECT_EQ(turns.cycle(), "bind p-0 node0");
  int evictions = 0;
  for (int minute = 0; minute < 180; ++minute) {
    turns.advance(1min).cycle();
    evictions += static_cast<int>(turns.decisions().evictions.size());
  }
  EXPECT_GE(evictions, 2);
  EXPECT_LE(evictions, 3) << "turns are no shorter than the expected runtime";
}

TEST_F(RequeueTest, ALowerPriorityNeverGetsThePlace) {
  c.node("node0", {.gpus = 1}).running("v", {.priority = 75, .node = "node0", .age = 4h, .expected_runtime = "1h"});
  c.pending("p");
  EXPECT_EQ(c.cycle(), "");
}

TEST_F(RequeueTest, ServesTheQueueThatIsEntitledToTheRoom) {  // scenario 9
  JobSpec v = kOverdue, w = kNewer;
  v.queue = w.queue = "rich";
  c.node("node0", {.gpus = 2}).queue("rich", {.deserved = 1}).queue("poor", {.deserved = 1});
  c.running("v", v).running("w", w).pending("p", {.queue = "poor"});
  EXPECT_EQ(c.cycle(), "evict v-0; pipeline p-0 node0");
  EXPECT_EQ(action_of_first_eviction(), "requeue");
}

TEST_F(RequeueTest, AQueueAtItsShareGetsNothing) {  // scenario 9
  JobSpec v = kOverdue;
  v.queue = "rich";
  c.node("node0", {.gpus = 2}).queue("rich", {.deserved = 1, .weight = 0}).queue("poor", {.deserved = 1, .weight = 0});
  c.running("v", v).running("x", {.queue = "poor", .node = "node0"}).pending("p", {.queue = "poor"});
  EXPECT_EQ(c.cycle(), "");
}

TEST_F(RequeueTest, SaysWhatIsWrongWithEveryBadValue) {  // scenario 10
  const std::vector<std::pair<JobSpec, std::string>> bad{
      {{.expected_runtime = "soon"}, "invalid_duration"},
      {{.expected_runtime = "-1h"}, "invalid_duration"},
      {{.expected_runtime = "0"}, "invalid_duration"},
      {{.expected_runtime = "5"}, "invalid_duration"},
      {{.age = -1h, .expected_runtime = "1h"}, "clock_skew"},
      {{.expected_runtime = "1h", .requeue_not_before = "tomorrow"}, "invalid_not_before"},
      {{.priority = 100, .expected_runtime = "1h"}, "not_preemptible"},
  };
  for (auto [spec, reason] : bad) {
    TestCluster each;
    spec.node = "node0";
    each.node("node0", {.gpus = 1}).running("v", spec);
    EXPECT_EQ(each.cycle(), "");
    ASSERT_EQ(each.decisions().requeue->skipped.size(), 1U) << reason;
    EXPECT_EQ(each.decisions().requeue->skipped[0].reason, reason);
    EXPECT_TRUE(each.decisions().requeue->nominated.empty());
  }
}

TEST_F(RequeueTest, AWaitingJobIsNotNominated) {
  c.pending("p", {.expected_runtime = "1h"}).cycle();
  EXPECT_EQ(skipped(), "not_running");
}

TEST_F(RequeueTest, NothingMovesAfterwards) {  // scenario 11
  c.node("node0", {.gpus = 2}).running("v", kOverdue).running("w", kNewer).pending("p", {.priority = 75});
  c.cycle();
  EXPECT_EQ(c.cycle(), "bind p-0 node0");
  for (int i = 0; i < 20; ++i) EXPECT_EQ(c.cycle(), "");
}

TEST_F(RequeueTest, ARequeuedJobStandsBehindTheEqualsThatWait) {
  c.node("node0", {.gpus = 1});
  c.pending("older", {.age = 5h, .requeued_at = "2025-06-01T11:00:00Z"}).pending("newer", {.age = 2h});
  EXPECT_EQ(c.cycle(), "bind newer-0 node0");
}

TEST_F(RequeueTest, TheQueueSpeaksForJobsThatSayNothing) {
  c.queue("top", {.expected_runtime = "1h", .requeue_delay = "30m"}).queue("q", {.parent = "top"});
  c.node("node0", {.gpus = 2});
  c.running("v", {.queue = "q", .node = "node0", .age = 4h});
  c.running("w", {.queue = "q", .node = "node0", .age = 4h, .expected_runtime = "0"});
  c.pending("p", {.queue = "q", .priority = 75});
  EXPECT_EQ(c.cycle(), "evict v-0; pipeline p-0 node0");
  EXPECT_EQ(record().nominated.size(), 1U);
  EXPECT_EQ(skipped(), "not_running") << "p waits; w opted out";
  EXPECT_EQ(c.written("v", keys::kRequeueNotBefore), "2025-06-01T12:30:00Z");
}

TEST_F(RequeueTest, AnElasticJobGivesItsSurplusFirst) {
  c.only({"allocate", "requeue"}).node("node0", {.gpus = 3});
  c.running("v", {.tasks = 3, .min = 1, .node = "node0", .age = 4h, .expected_runtime = "1h"});
  c.pending("p", {.priority = 75});
  EXPECT_EQ(c.cycle(), "evict v-2; pipeline p-0 node0");
}

TEST_F(RequeueTest, ASemiPreemptibleJobGivesItsSurplusOnly) {
  c.only({"allocate", "requeue"}).node("node0", {.gpus = 2}).queue("q", {.deserved = 2});
  c.running("v", {.queue = "q", .tasks = 2, .min = 1, .node = "node0", .age = 4h,
                  .preemptibility = "semi-preemptible", .expected_runtime = "1h"});
  c.pending("p", {.queue = "q", .priority = 75}).pending("o", {.queue = "q", .priority = 75});
  EXPECT_EQ(c.cycle(), "evict v-1; pipeline p-0 node0");
}

TEST_F(RequeueTest, ADryRunReportsAndEvictsNobody) {
  TestCluster dry(with_arguments({{"dryRun", "true"}}));
  dry.only({"allocate", "requeue"});
  dry.node("node0", {.gpus = 1}).running("v", kOverdue).pending("p", {.priority = 75});
  EXPECT_EQ(dry.cycle(), "");
  const RequeueRecord& r = *dry.decisions().requeue;
  EXPECT_EQ(r.commits(), 1U);
  ASSERT_EQ(r.attempts.at(0).victims.size(), 1U);
  EXPECT_EQ(r.attempts[0].victims[0].tasks, std::vector{dry.task_id("v-0")});
  EXPECT_EQ(r.attempts[0].victims[0].not_before, dry.now() + 5min);
  EXPECT_TRUE(dry.decisions().patches.empty());
}

TEST_F(RequeueTest, NobodyIsEvictedForAContenderWhosePlaceAnotherWouldTake) {
  c.only({"allocate", "requeue"}).node("node0", {.gpus = 1}).running("v", kOverdue);
  c.pending("first", {.priority = 80, .preemption_delay = 24h}).pending("p", {.priority = 75});
  EXPECT_EQ(c.cycle(), "");
  EXPECT_EQ(record().rollbacks(), 1U);
}

TEST_F(RequeueTest, WithoutAnyOptInNothingIsDifferent) {
  TestCluster without;
  without.only({"allocate", "consolidation", "reclaim", "preempt", "stalegangeviction"});
  for (TestCluster* each : {&c, &without})
    each->node("node0", {.gpus = 2}).running("v", {.node = "node0"}).running("w", {.node = "node0"}).pending("p", {.priority = 75});
  EXPECT_EQ(c.cycle(), without.cycle());
  EXPECT_EQ(sums_text(c.cluster()), sums_text(without.cluster()));
}

}  // namespace
}  // namespace muster
