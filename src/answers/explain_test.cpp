// Answers for pending, running and evicted jobs on small clusters.
#include "answers/explain.hpp"

#include <gtest/gtest.h>

#include "answers/eviction_record.hpp"
#include "answers/find_job.hpp"
#include "tests/test_cluster.hpp"

namespace muster::answers {
namespace {

State state_of_test(TestCluster& c) {
  c.cluster().refresh(c.now());
  return {c.cluster(), c.policy(), c.now()};
}

Explanation explained(TestCluster& c, const std::string& job) {
  return explain(state_of_test(c), c.job_id(job));
}

// All helps as one text: "queue q: limit 2 → 4 GPUs evicts a delays b; …".
std::string text_of_helps(const TestCluster& c, const Explanation& e) {
  std::string text;
  for (const Help& h : e.helps->changes) {
    text += (text.empty() ? "" : "; ") + answers::text_of(h.change);
    for (JobId j : h.evicts) text += " evicts " + c.cluster().job(j).name;
    for (JobId j : h.delays) text += " delays " + c.cluster().job(j).name;
  }
  return text;
}

bool helps_with(const TestCluster& c, const Explanation& e, const std::string& text) {
  return text_of_helps(c, e).find(text) != std::string::npos;
}

TEST(Explain, NamesTheExceededLimitAndTheSmallestSufficientOne) {
  TestCluster c;
  c.node("n1", {.gpus = 8}).queue("team", {.limit = 4});
  c.running("a", {.queue = "team", .gpus = 3, .node = "n1"});
  c.pending("b", {.queue = "team", .gpus = 2});
  const Explanation e = explained(c, "b");
  EXPECT_EQ(name_of(e.state), "waiting");
  ASSERT_EQ(e.waiting.reasons.size(), 1U);
  EXPECT_EQ(e.waiting.reasons[0].rule, JobRule::kOverLimit);
  EXPECT_TRUE(helps_with(c, e, "queue team: limit 4 → 5 GPUs")) << text_of_helps(c, e);
  EXPECT_TRUE(helps_with(c, e, "job default/b: GPUs per pod 2 → 1")) << text_of_helps(c, e);
}

TEST(Explain, SuggestsNothingForAJobThatStartsByItself) {
  TestCluster c;
  c.node("n1", {.gpus = 8}).pending("a", {.gpus = 4});
  const Explanation e = explained(c, "a");
  EXPECT_EQ(name_of(e.state), "running");
  EXPECT_TRUE(e.is_placed_now);
}

TEST(Explain, NamesTheTimeAtWhichProtectionEnds) {
  TestCluster c;
  c.node("n1", {.gpus = 2});
  c.queue("prod", {.deserved = 2}).queue("batch", {.reclaim_min_runtime = 10min});
  c.running("train", {.queue = "batch", .tasks = 2, .node = "n1", .age = 4min});
  c.pending("serve", {.queue = "prod", .tasks = 2});
  const Explanation e = explained(c, "serve");
  EXPECT_EQ(text_of_helps(c, e), "1 more node like n1; time: at 2025-06-01T12:06:00Z evicts train");
}

TEST(Explain, FindsTheFewestAdditionalNodes) {
  TestCluster c;
  c.node("n1", {.gpus = 4}).running("a", {.gpus = 4, .node = "n1"});
  c.pending("b", {.tasks = 3, .gpus = 4});
  EXPECT_TRUE(helps_with(c, explained(c, "b"), "3 more nodes like n1"));
}

TEST(Explain, FindsTheTolerationAndTheLabel) {
  TestCluster c;
  c.node("n1", {.gpus = 4, .labels = {{"gpu", "a100"}}, .taints = {{.key = "team", .value = "x"}}});
  c.node("n2", {.gpus = 4, .labels = {{"gpu", "h100"}}, .cordoned = true});
  c.pending("tainted", {.constraints = {.node_selector = {{"gpu", "a100"}}}});
  const Explanation e = explained(c, "tainted");
  EXPECT_TRUE(helps_with(c, e, "job default/tainted: tolerate team=x:NoSchedule")) << text_of_helps(c, e);
  ASSERT_EQ(e.nodes.size(), 2U);
  EXPECT_EQ(e.closest.size(), 2U);
}

TEST(Explain, ListsTheJobsBeforeItInTheQueue) {
  TestCluster c;
  c.node("n1", {.gpus = 4}).running("full", {.gpus = 4, .node = "n1"});
  c.pending("first", {.gpus = 2, .priority = 60}).pending("older", {.gpus = 2}).pending("last", {.gpus = 2});
  const Explanation e = explained(c, "last");
  EXPECT_EQ(e.line.in_queue, 3U);
  EXPECT_EQ(e.line.overall, 3U);
  ASSERT_EQ(e.line.ahead.size(), 2U);
  EXPECT_EQ(c.cluster().job(e.line.ahead[0].job).name, "first");
  EXPECT_EQ(e.line.ahead[0].rule, "priority");
  EXPECT_EQ(e.line.ahead[1].rule, "age");
}

TEST(Explain, NamesThePossiblePreemptorsOfARunningJob) {
  TestCluster c;
  c.node("n1", {.gpus = 2}).node("n2", {.gpus = 2});
  c.queue("prod", {.deserved = 4}).queue("batch", {.reclaim_min_runtime = 1h});
  c.running("train", {.queue = "batch", .gpus = 2, .node = "n1", .age = 4min});
  c.running("other", {.queue = "batch", .gpus = 2, .node = "n2", .age = 4min});
  c.pending("serve", {.queue = "prod", .gpus = 2});
  const Explanation e = explained(c, "train");
  EXPECT_EQ(name_of(e.state), "running");
  ASSERT_TRUE(e.running);
  ASSERT_EQ(e.running->preemptors.size(), 1U);
  EXPECT_EQ(c.cluster().job(e.running->preemptors[0].job).name, "serve");
  EXPECT_EQ(format_time(*e.running->protected_until), "2025-06-01T12:56:00Z");
  ASSERT_EQ(e.running->placed_pods.size(), 1U);
  EXPECT_FALSE(e.running->placed_pods[0].terms.empty());
}

TEST(Explain, ShowsTheEvictionRecordOfAnEvictedJob) {
  TestCluster c;
  c.node("n1", {.gpus = 2}).queue("prod", {.deserved = 2}).queue("batch");
  c.running("train", {.queue = "batch", .gpus = 2, .node = "n1", .age = 4min});
  c.pending("serve", {.queue = "prod", .gpus = 2});
  const Explanation e = explained(c, "train");
  EXPECT_EQ(name_of(e.state), "evicted");
  ASSERT_TRUE(e.receipt);
  EXPECT_EQ(e.receipt->action, "reclaim");
  EXPECT_EQ(e.receipt->by_job, "default/serve");
  EXPECT_EQ(e.receipt->at, "2025-06-01T12:00:00Z");
  EXPECT_EQ(e.receipt->pods, std::vector<std::string>{"default/train-0"});
  EXPECT_EQ(e.receipt->runtime_lost_seconds, 240);
  const auto again = from_annotation(to_annotation(*e.receipt));
  ASSERT_TRUE(again);
  EXPECT_EQ(to_annotation(*again), to_annotation(*e.receipt));
}

TEST(EvictionRecord, RefusesInvalidRecords) {
  for (const char* text : {"", "[]", "{}", "{\"at\": 5}", "{\"at\": \"yesterday\", \"action\": \"reclaim\"}",
                           "{\"at\": \"2025-06-01T12:00:00Z\"}"})
    EXPECT_FALSE(from_annotation(text)) << text;
}

TEST(Explain, StartsWhenJobsEndAsTheyExpect) {
  TestCluster c;
  c.node("n1", {.gpus = 2});
  c.running("a", {.gpus = 2, .node = "n1", .age = 20min, .expected_runtime = "1h"});
  c.pending("b", {.gpus = 2});
  const Explanation e = explained(c, "b");
  ASSERT_TRUE(e.start && e.start->p50);
  EXPECT_EQ(format_time(*e.start->p50), "2025-06-01T12:40:00Z");
  EXPECT_EQ(e.start->never, 0);
  EXPECT_EQ(e.start->basis.expected, 1);
}

TEST(Explain, TheStartIsUnknownIfNoDurationIsKnown) {
  TestCluster c;
  c.node("n1", {.gpus = 2}).running("a", {.gpus = 2, .node = "n1"}).pending("b", {.gpus = 2});
  const Explanation e = explained(c, "b");
  EXPECT_FALSE(e.start->p50);
  EXPECT_EQ(e.start->never, 1);
  EXPECT_EQ(e.start->basis.unknown, 1);
  EXPECT_TRUE(e.start->rests_on_unknown);
}

TEST(Explain, KnowsThatNoFinishedJobWouldHelp) {
  TestCluster c;
  c.node("n1", {.gpus = 2}).running("a", {.gpus = 2, .node = "n1"}).pending("b", {.gpus = 4});
  const Explanation e = explained(c, "b");
  EXPECT_FALSE(e.start->p50);
  EXPECT_FALSE(e.start->rests_on_unknown);
}

TEST(Explain, NamesTheProtectionOfARunningJobWithoutPreemptors) {
  TestCluster c;
  c.node("n1", {.gpus = 2}).queue("batch", {.reclaim_min_runtime = 1h});
  c.running("train", {.queue = "batch", .gpus = 2, .node = "n1", .age = 4min});
  const Explanation e = explained(c, "train");
  ASSERT_TRUE(e.running && e.running->protected_until);
  EXPECT_EQ(format_time(*e.running->protected_until), "2025-06-01T12:56:00Z");
  EXPECT_TRUE(e.running->preemptors.empty());
  EXPECT_TRUE(e.helps && e.helps->changes.empty());
}

TEST(Explain, NamesJobsThatCouldHaveBeenEvictedInstead) {
  TestCluster c;
  c.node("n1", {.gpus = 4}).queue("prod", {.deserved = 4}).queue("batch");
  c.running("old", {.queue = "batch", .gpus = 2, .node = "n1", .age = 8min});
  c.running("new", {.queue = "batch", .gpus = 2, .node = "n1", .age = 4min});
  c.pending("serve", {.queue = "prod", .gpus = 2});
  for (const auto& [name, other] : {std::pair("old", "default/new"), std::pair("new", "default/old")}) {
    const Explanation e = explained(c, name);
    if (e.receipt) {
      EXPECT_EQ(e.receipt->alternatives, std::vector<std::string>{other});
    }
  }
  EXPECT_NE(explained(c, "old").receipt.has_value(), explained(c, "new").receipt.has_value());
}

TEST(FindJob, FindsByNameByPodAndSuggestsNearNames) {
  TestCluster c;
  c.node("n1").pending("train-large").pending("train-small");
  const Cluster& cluster = c.cluster();
  EXPECT_EQ(find_job(cluster, "train-large").job, c.job_id("train-large"));
  EXPECT_EQ(find_job(cluster, "default/train-large").job, c.job_id("train-large"));
  EXPECT_EQ(find_job(cluster, "train-small-0").job, c.job_id("train-small"));
  EXPECT_FALSE(find_job(cluster, "train-large", "other").job.valid());
  EXPECT_EQ(find_job(cluster, "train-larg").problem,
            "there is no job or pod \"train-larg\"; did you mean \"train-large\"?");
  EXPECT_EQ(find_job(cluster, "x").problem,
            "there is no job or pod \"x\"; the nearest are \"train-large\" and \"train-small\"");
}

}  // namespace
}  // namespace muster::answers
