// Minimum runtime, on the tables of actions.md 12 and min-runtime.md.
#include "plugins/min_runtime.hpp"

#include <gmock/gmock.h>

#include "tests/test_cluster.hpp"

namespace muster {
namespace {

using testing::HasSubstr;
using testing::Not;

Config resolved_by(const std::string& method) {
  Config config;
  for (PluginConfig& p : config.plugins)
    if (p.name == "minruntime") p.arguments = {{"reclaimResolveMethod", method}};
  return config;
}

// Three departments with their teams, and in each team a job that just started.
class MinRuntimeTest : public testing::TestWithParam<std::string> {
 protected:
  static TestCluster departments(const Config& config = {}) {
    TestCluster c(config);
    c.node("node0");
    const auto queue = [&](const char* name, const char* parent, std::optional<Duration> preempt,
                           std::optional<Duration> reclaim) {
      c.queue(name, {.parent = parent, .preempt_min_runtime = preempt, .reclaim_min_runtime = reclaim});
    };
    queue("dev", "", 5s, 10s);
    queue("dev-team1", "dev", {}, 8s);
    queue("dev-team2", "dev", 3s, {});
    queue("prod", "", 20s, 30s);
    queue("prod-team1", "prod", {}, 25s);
    queue("prod-team2", "prod", 15s, 35s);
    queue("research", "", 4s, 6s);
    queue("research-project", "research", 7s, 9s);
    for (const char* team : {"dev-team1", "dev-team2", "prod-team1", "prod-team2", "research-project"})
      c.running(std::string("in-") + team, {.queue = team, .node = "node0", .age = 0s});
    return c;
  }
  static Duration preempt_minimum(const std::string& victim) {
    TestCluster c = departments();
    const auto why = c.open().hooks.preempt_victim(c.job_id("in-" + victim), c.job_id("in-" + victim));
    return *why->until - c.now();
  }
  static Duration reclaim_minimum(const Config& config, const std::string& preemptor,
                                  const std::string& victim) {
    TestCluster c = departments(config);
    const auto why = c.open().hooks.reclaim_victim(c.job_id("in-" + preemptor), c.job_id("in-" + victim));
    return *why->until - c.now();
  }
};

TEST_F(MinRuntimeTest, PreemptTakesTheFirstValueFromTheQueueUp) {
  EXPECT_EQ(preempt_minimum("prod-team2"), 15s);
  EXPECT_EQ(preempt_minimum("prod-team1"), 20s);
  EXPECT_EQ(preempt_minimum("dev-team1"), 5s);
}

TEST_F(MinRuntimeTest, ReclaimTakesTheValueBelowTheCommonAncestor) {
  EXPECT_EQ(reclaim_minimum({}, "dev-team1", "prod-team2"), 30s);
  EXPECT_EQ(reclaim_minimum({}, "dev-team2", "dev-team1"), 8s);
  EXPECT_EQ(reclaim_minimum({}, "prod-team1", "prod-team2"), 35s);
  EXPECT_EQ(reclaim_minimum({}, "dev-team1", "research-project"), 6s);
}

TEST_F(MinRuntimeTest, ReclaimByQueueTakesTheFirstValueFromTheVictimUp) {
  EXPECT_EQ(reclaim_minimum(resolved_by("queue"), "dev-team1", "prod-team2"), 35s);
  EXPECT_EQ(reclaim_minimum(resolved_by("queue"), "dev-team1", "dev-team2"), 10s);
  EXPECT_EQ(reclaim_minimum(resolved_by("queue"), "dev-team1", "research-project"), 9s);
}

class Protection : public testing::Test {
 protected:
  Protection() { c.queue("q", {.preempt_min_runtime = 15s}).node("node0", {.gpus = 3}); }
  TestCluster c;
};

TEST_F(Protection, EndsAfterTheMinimum) {  // example 21
  c.running("v", {.queue = "q", .gpus = 3, .node = "node0", .age = 10s})
      .pending("p", {.queue = "q", .priority = 75});
  EXPECT_EQ(c.cycle(), "");
  EXPECT_THAT(c.why("p"),
              HasSubstr(" (3 GPUs are not evictable: minimum runtime (v until 2025-06-01T12:00:05Z))"));
  c.advance(5s);
  EXPECT_EQ(c.cycle(), "evict v-0; pipeline p-0 node0");
}

TEST_F(Protection, AnElasticJobShrinksToItsMinimum) {
  c.running("v", {.queue = "q", .tasks = 3, .min = 2, .node = "node0", .age = 10s});
  c.pending("p", {.queue = "q", .priority = 75});
  EXPECT_EQ(c.cycle(), "evict v-2; pipeline p-0 node0");
}

TEST_F(Protection, AnElasticJobKeepsItsMinimum) {
  c.running("v", {.queue = "q", .tasks = 3, .min = 2, .node = "node0", .age = 10s});
  c.pending("p", {.queue = "q", .gpus = 2, .priority = 75});
  EXPECT_EQ(c.cycle(), "");
  EXPECT_THAT(
      c.why("p"),
      HasSubstr(
          "jobs that could make room are still protected: minimum runtime (v until 2025-06-01T12:00:05Z)"));
}

// A protected, overdue job with two pods that stay, one that terminates since then, and a minimum of one.
TestCluster shrinking_job(Duration deleted, const Config& config = {}) {
  TestCluster c(config);
  c.node("node0", {.gpus = 3});
  c.queue("q", {.preempt_min_runtime = 24h, .reclaim_min_runtime = 24h}).queue("poor", {.deserved = 3});
  c.running("v", {.queue = "q", .tasks = 2, .min = 1, .node = "node0", .age = 5h, .expected_runtime = "1h"});
  c.task("v", "v-2", {.deleted = deleted}, "node0");
  return c;
}

std::string cycle_of(TestCluster c, const std::string& action, const JobSpec& preemptor) {
  c.pending("p", preemptor).only({"allocate", action});
  return c.cycle();
}

TEST(MinRuntimeOfAShrinkingJob, KeepsItsMinimumInPodsThatStay) {
  for (const auto& [deleted, gpus] : {std::pair(Duration(1s), 3), std::pair(Duration(1h), 2)}) {
    // The room of the first will be free soon; the second is stuck on a dead node.
    const JobSpec own{.queue = "q", .gpus = gpus, .priority = 75}, foreign{.queue = "poor", .gpus = gpus};
    EXPECT_EQ(cycle_of(shrinking_job(deleted), "preempt", own), "");
    EXPECT_EQ(cycle_of(shrinking_job(deleted), "reclaim", foreign), "");
    EXPECT_EQ(cycle_of(shrinking_job(deleted), "requeue", own), "");
    EXPECT_EQ(cycle_of(shrinking_job(deleted), "requeue", foreign), "");
  }
}

TEST(MinRuntimeOfAShrinkingJob, LosesThePodsAboveItsMinimum) {
  const JobSpec own{.queue = "q", .priority = 75}, foreign{.queue = "poor"};
  for (const char* action : {"preempt", "requeue"})
    EXPECT_EQ(cycle_of(shrinking_job(1h), action, own), "evict v-1; pipeline p-0 node0");
  EXPECT_EQ(cycle_of(shrinking_job(1h), "reclaim", foreign), "evict v-1; pipeline p-0 node0");
}

TEST(MinRuntimeOfAShrinkingJob, CountsTerminatingPodsAsKaiDoes) {
  Config config;
  config.params.compatibility.staying_pods_count = false;
  EXPECT_EQ(cycle_of(shrinking_job(1h, config), "preempt", {.queue = "q", .gpus = 2, .priority = 75}),
            "evict v-0 v-1; pipeline p-0 node0");
}

TEST_F(Protection, CountsWhatAnEarlierJobOfTheCycleTook) {
  c.running("v", {.queue = "q", .tasks = 3, .min = 1, .node = "node0", .age = 10s});
  c.pending("first", {.queue = "q", .priority = 80})
      .pending("second", {.queue = "q", .gpus = 2, .priority = 75});
  EXPECT_EQ(c.cycle(), "evict v-2; pipeline first-0 node0");
  EXPECT_THAT(c.why("second"), HasSubstr("minimum runtime (v until 2025-06-01T12:00:05Z)"));
}

TEST(MinRuntimeOfAQueue, CountsAsUnsetIfNegative) {
  const auto decided = [](bool is_unset) {
    Config config;
    config.params.compatibility.negative_minimum_is_unset = is_unset;
    TestCluster c(config);
    c.node("node0", {.gpus = 1}).queue("top", {.preempt_min_runtime = 10min, .reclaim_min_runtime = 10min});
    c.queue("leaf", {.parent = "top", .preempt_min_runtime = -5min, .reclaim_min_runtime = -5min});
    c.running("v", {.queue = "leaf", .node = "node0", .age = 9min});
    return cycle_of(std::move(c), "preempt", {.queue = "leaf", .priority = 75});
  };
  EXPECT_EQ(decided(true), "");
  EXPECT_EQ(decided(false), "evict v-0; pipeline p-0 node0");  // KAI
}

TEST_F(Protection, IsReportedWhereOnlyUselessEvictionsArePossible) {
  c.node("node1", {.gpus = 1}).only({"preempt"});
  c.running("late", {.queue = "q", .gpus = 1, .node = "node0", .age = 4s})
      .running("soon", {.queue = "q", .gpus = 2, .node = "node0", .age = 10s})
      .running("free", {.queue = "q", .gpus = 0, .cpu = 60, .node = "node1", .age = 1h});
  c.pending("p", {.queue = "q", .gpus = 0, .cpu = 70, .priority = 75});
  c.node("node2", {.gpus = 0, .cpu = 80}).running("hog", {.gpus = 0, .cpu = 40, .node = "node2"});
  EXPECT_EQ(c.cycle(), "");
  EXPECT_THAT(c.why("p"), HasSubstr("minimum runtime (soon until 2025-06-01T12:00:05Z, then 1 more)"));
}

TEST_F(Protection, IsNotReportedWhereNoJobIsProtected) {
  c.running("v", {.queue = "q", .gpus = 3, .priority = 100, .node = "node0", .age = 10s})
      .pending("p", {.queue = "q", .priority = 75});
  EXPECT_EQ(c.cycle(), "");
  EXPECT_THAT(c.why("p"), Not(HasSubstr("minimum runtime")));
}

TEST_F(Protection, ReclaimIgnoresThePreemptMinimum) {
  c.queue("poor", {.deserved = 3});
  c.running("v", {.queue = "q", .gpus = 3, .node = "node0", .age = 10s}).pending("p", {.queue = "poor"});
  EXPECT_EQ(c.cycle(), "evict v-0; pipeline p-0 node0");
}

TEST_F(Protection, CoversConsolidationOnlyIfConfigured) {
  const auto moved = [](const Config& config) {
    TestCluster each(config);
    each.queue("q", {.deserved = 4, .preempt_min_runtime = 15s})
        .node("node0", {.gpus = 2})
        .node("node1", {.gpus = 2});
    each.running("a", {.queue = "q", .node = "node0", .age = 10s})
        .running("b", {.queue = "q", .node = "node1", .age = 10s});
    each.pending("p", {.queue = "q", .gpus = 2});
    return each.cycle();
  };
  Config protects;
  for (PluginConfig& p : protects.plugins)
    if (p.name == "minruntime") p.arguments = {{"protectFromConsolidation", "true"}};
  EXPECT_NE(moved({}), "");
  EXPECT_EQ(moved(protects), "");
}

}  // namespace
}  // namespace muster
