// Start estimates of jobs that wait for others, by what is known about those.
#include "answers/start_estimate.hpp"

#include <gtest/gtest.h>

#include "answers/api_objects.hpp"
#include "answers/deferred_jobs.hpp"
#include "tests/test_cluster.hpp"

namespace muster::answers {
namespace {

constexpr auto kLong = std::chrono::hours(1);  // of simulation

StartEstimate start_of(TestCluster& c, const std::string& job, const KnownTimes& times = {}) {
  c.cluster().refresh(c.now());
  const State state{c.cluster(), c.policy(), c.now(), &times};
  const SteadyStopwatch stopwatch;
  return StartForecast(state, outcome_of(state), c.job_id(job), {.time = kLong, .stopwatch = stopwatch})
      .of(c.job_id(job));
}

RunTime lognormal(Duration median, Duration p90) { return {RunTime::Law::kLognormal, median, p90}; }

TestCluster one_waits_for_another() {
  TestCluster c;
  c.node("n1", {.gpus = 2}).queue("team");
  c.running("a", {.queue = "team", .gpus = 2, .node = "n1", .age = 20min});
  c.pending("b", {.queue = "team", .gpus = 2});
  return c;
}

TEST(StartEstimate, IsDrawnFromTheDistributionOfTheRemainingTime) {
  TestCluster c = one_waits_for_another();
  const StartEstimate e = start_of(
      c, "b", {.pods = {}, .groups = {{"default/a", {.duration = lognormal(1h, 4h)}}}, .history = {}});
  EXPECT_EQ(e.futures, kFutures);
  EXPECT_EQ(e.basis.expected, 1);
  EXPECT_EQ(e.never, 0);
  ASSERT_TRUE(e.p50 && e.p90);
  EXPECT_GT(*e.p50, c.now());
  EXPECT_LT(*e.p50, *e.p90);
}

TEST(StartEstimate, IsDeterministic) {
  TestCluster c = one_waits_for_another();
  const KnownTimes times{
      .pods = {}, .groups = {{"default/a", {.duration = lognormal(1h, 4h)}}}, .history = {}};
  const StartEstimate one = start_of(c, "b", times), other = start_of(c, "b", times);
  EXPECT_EQ(one.p50, other.p50);
  EXPECT_EQ(one.p90, other.p90);
}

TEST(StartEstimate, UsesTheHistoryOfTheQueue) {
  TestCluster c = one_waits_for_another();
  RunHistory history;
  for (int i = 0; i < 40; ++i) history.add("team", "", std::chrono::minutes(30 + i));
  const StartEstimate e = start_of(c, "b", {.pods = {}, .groups = {}, .history = history.figures()});
  EXPECT_EQ(e.basis.history, 1);
  ASSERT_TRUE(e.p50);
  EXPECT_LT(*e.p50, c.now() + 1h);
  EXPECT_FALSE(start_of(c, "b").p50);
}

TEST(StartEstimate, WaitsForTheJobsBeforeIt) {
  TestCluster c = one_waits_for_another();
  c.pending("c", {.queue = "team", .gpus = 2});
  const Work hour{.duration = RunTime{.first = 1h}};
  const StartEstimate e =
      start_of(c, "c", {.pods = {}, .groups = {{"default/a", hour}, {"default/b", hour}}, .history = {}});
  EXPECT_EQ(e.futures, 1);  // nothing is drawn
  ASSERT_TRUE(e.p50);
  EXPECT_EQ(format_time(*e.p50), "2025-06-01T13:40:00Z");
}

// Two jobs run at a time, for an hour each: most of the queue is deferred for most of the time.
TEST(StartEstimate, ALongQueueIsServedInOrder) {
  TestCluster c;
  c.node("n1", {.gpus = 2}).queue("team");
  KnownTimes times;
  constexpr int kJobs = 60;
  for (int i = 0; i < kJobs; ++i) {
    const std::string name = "j" + std::to_string(100 + i);
    c.pending(name, {.queue = "team", .gpus = 1, .age = std::chrono::minutes(kJobs - i)});
    times.groups["default/" + name] = {.duration = RunTime{.first = 1h}};
  }
  c.cluster().refresh(c.now());
  const State state{c.cluster(), c.policy(), c.now(), &times};
  const SteadyStopwatch stopwatch;
  const Outcome unchanged = outcome_of(state);
  const StartForecast futures(state, unchanged, {}, {.time = kLong, .stopwatch = stopwatch});
  for (int i = 2; i < kJobs; ++i) {
    const StartEstimate e = futures.of(c.job_id("j" + std::to_string(100 + i)));
    ASSERT_TRUE(e.p50) << i;
    EXPECT_EQ(*e.p50, c.now() + std::chrono::hours(i / 2)) << i;
  }
}

TEST(DeferredJobs, ConsidersTheJobsThatFreeResourcesCouldServe) {
  TestCluster c;
  c.node("n1", {.gpus = 8}).queue("team").queue("other");
  for (int i = 0; i < 20; ++i)
    c.pending("small-" + std::to_string(10 + i),
              {.queue = "team", .gpus = 1, .age = std::chrono::minutes(60 - i)});
  for (int i = 0; i < 20; ++i)
    c.pending("large-" + std::to_string(10 + i), {.queue = "team", .tasks = 2, .gpus = 2, .age = 60min});
  c.pending("alone", {.queue = "other", .gpus = 1});
  c.cluster().refresh(c.now());
  const std::vector<Alike> lines = lines_of(c.cluster());
  ASSERT_EQ(lines.size(), 2U);
  DeferredJobs line(lines);
  const IdSet<JobId>& far = line.look(c.cluster());
  EXPECT_EQ(far.items().size(), 20U - 9 + 20U - 3);  // eight fit, or two; and one more of each
  EXPECT_FALSE(far.contains(c.job_id("small-18")));
  EXPECT_TRUE(far.contains(c.job_id("small-19")));
  EXPECT_FALSE(far.contains(c.job_id("alone")));
}

// The job ran for ten hours before its eviction, so it is not a short one.
TEST(StartEstimate, AnEvictedJobHasMoreWorkThanItDid) {
  const auto start_behind = [](std::optional<std::string> receipt) {
    TestCluster c = one_waits_for_another();
    c.pending("c", {.queue = "team", .gpus = 2});
    PodGroupObject group = pod_group_of(c.cluster(), c.job_id("b"));
    group.eviction_receipt = std::move(receipt);
    c.cluster().apply(std::move(group));
    const Work usual{.duration = lognormal(1h, 4h)};
    return start_of(c, "c",
                    {.pods = {}, .groups = {{"default/a", usual}, {"default/b", usual}}, .history = {}});
  };
  const StartEstimate before = start_behind(std::nullopt);
  const StartEstimate after = start_behind(
      R"({"at": "2025-06-01T11:00:00Z", "action": "reclaim", "for": "x/y", "rule": "r", "pods": [], )"
      R"("runtimeLostSeconds": 36000})");
  ASSERT_TRUE(before.p50 && after.p50);
  EXPECT_GT(*after.p50, *before.p50 + 8h);
}

TEST(StartEstimate, AnOverdueJobContinuesForAWhile) {
  TestCluster c;
  c.node("n1", {.gpus = 2});
  c.running("a", {.gpus = 2, .node = "n1", .age = 2h, .expected_runtime = "1h"});
  c.pending("b", {.gpus = 2});
  const StartEstimate e = start_of(c, "b");
  ASSERT_TRUE(e.p50 && e.p90);
  EXPECT_GT(*e.p50, c.now());
  EXPECT_LT(*e.p50, *e.p90);
}

TEST(RunHistory, KeepsTheLatestOfEachAndForgetsTheLeastRecentlyUsed) {
  RunHistory history;
  for (std::size_t i = 0; i < RunHistory::kMostRuns; ++i) history.add("q", "ann", 1h);
  for (std::size_t i = 0; i < RunHistory::kMostRuns; ++i) history.add("q", "", 1min);
  RunFigureTable table = history.figures();
  EXPECT_EQ((table[{"q", ""}].median), Duration(1min));
  EXPECT_EQ((table[{"q", "ann"}].p90), Duration(1h));
  for (std::size_t i = 0; i < 2 * RunHistory::kMostRows; ++i)
    history.add("q", "user-" + std::to_string(i), 1min);
  table = history.figures();
  EXPECT_EQ(table.size(), RunHistory::kMostRows);
  EXPECT_FALSE(table.contains({"q", "ann"}));
  EXPECT_TRUE(table.contains({"q", ""}));
}

TEST(RunHistory, ReturnsNothingForTooFewRuns) {
  RunHistory history;
  for (int i = 0; i < 19; ++i) history.add("q", "ann", 1h);
  EXPECT_FALSE(usual_run_time(history.figures(), "q", "ann"));
  history.add("q", "bob", 1h);
  EXPECT_EQ(usual_run_time(history.figures(), "q", "ann"), lognormal(1h, 1h));
}

}  // namespace
}  // namespace muster::answers
