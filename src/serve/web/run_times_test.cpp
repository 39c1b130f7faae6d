// Jobs that run and end, and jobs that are only evicted.
#include "serve/web/run_times.hpp"

#include <gtest/gtest.h>

#include "tests/test_cluster.hpp"

namespace muster::serve {
namespace {

std::int64_t runs_of(const RunTimes& times, const std::string& queue) {
  const auto table = times.figures();
  const auto found = table.find({queue, ""});
  return found == table.end() ? 0 : found->second.jobs;
}

TEST(RunTimes, AreRecordedForJobsThatEnded) {
  TestCluster c;
  c.node("n1", {.gpus = 4}).queue("team");
  c.running("ends", {.queue = "team", .gpus = 2, .node = "n1", .age = 10min});
  c.running("stays", {.queue = "team", .gpus = 2, .node = "n1", .age = 10min});
  RunTimes times;
  EXPECT_FALSE(times.look(c.cluster(), c.now()));
  c.cluster().observe(c.task_id("ends-0"), {.phase = PodPhase::kSucceeded});
  EXPECT_TRUE(times.look(c.cluster(), c.now() + 5min));
  EXPECT_EQ(runs_of(times, "team"), 1);
  EXPECT_EQ((times.figures()[{"team", ""}].median), Duration(15min));
  EXPECT_FALSE(times.look(c.cluster(), c.now() + 6min));
}

TEST(RunTimes, DoNotCountJobsThatArePendingAgain) {
  TestCluster c;
  c.node("n1", {.gpus = 4}).queue("team");
  c.running("evicted", {.queue = "team", .gpus = 2, .node = "n1", .age = 10min});
  RunTimes times;
  times.look(c.cluster(), c.now());
  c.cluster().observe(c.task_id("evicted-0"), {.phase = PodPhase::kPending});
  EXPECT_FALSE(times.look(c.cluster(), c.now() + 5min));
  EXPECT_EQ(runs_of(times, "team"), 0);
}

}  // namespace
}  // namespace muster::serve
