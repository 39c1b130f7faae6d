// The rows of the requeue table for each outcome of a job that opted in.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/json_parts.hpp"
#include "report/text_parts.hpp"
#include "tests/test_cluster.hpp"

namespace muster::report {
namespace {

class RequeueTable : public testing::Test {
 protected:
  RequeueTable() { c.node("node0", {.gpus = 2}); }

  std::string text(int cycles, Duration apart = 0s) {
    std::optional<RequeueText> table;
    for (int i = 1; i <= cycles; ++i, c.advance(apart)) {
      c.cycle();
      if (!table) table.emplace(c.cluster());
      table->add({i, c.now(), c.decisions()});
    }
    return table->text({}).str();
  }
  TestCluster c;
};

TEST_F(RequeueTable, IsEmptyIfNoJobOptedIn) {
  c.running("train", {.node = "node0", .age = 4h}).pending("urgent", {.gpus = 2, .priority = 75});
  EXPECT_EQ(text(2), "");
}

TEST_F(RequeueTable, ShowsProtectedJobs) {
  c.queue("q", {.preempt_min_runtime = 10h});
  const JobSpec overdue{.queue = "q", .node = "node0", .age = 4h, .expected_runtime = "1h"};
  c.running("safe", overdue).pending("small", {.queue = "q", .gpus = 2, .priority = 75});
  EXPECT_EQ(text(2), R"(
Requeue
  cycles  job   what       why
  1 to 2  safe  nominated  overdue since 2025-06-01T09:00:00Z, reported by expectedruntime
  1 to 2  safe  protected  minruntime_protected
)");
}

TEST_F(RequeueTable, ShowsAWarningAboutAQueueOnce) {
  c.queue("q", {.requeue_delay = "soon"});
  for (const char* name : {"v", "w"}) c.running(name, {.queue = "q", .node = "node0", .age = 4h});
  EXPECT_EQ(text(2), R"(
Requeue
  cycles  job  what     why
  1 to 2       warning  queue q: annotation kai.scheduler/requeue-delay: "soon" is not a duration of zero or more; the default is used
)");
}

TEST_F(RequeueTable, ShowsJobsWithoutRoom) {
  c.running("v", {.node = "node0", .age = 4h, .expected_runtime = "1h"});
  c.running("rock", {.preemptible = false, .node = "node0"}).pending("big", {.gpus = 2, .priority = 75});
  EXPECT_EQ(text(1), R"(
Requeue
  cycles  job  what       why
  1       big  no room    evicting the overdue jobs that it outranks does not free enough
  1       v    nominated  overdue since 2025-06-01T09:00:00Z, reported by expectedruntime
)");
}

TEST_F(RequeueTable, ShowsTheEndOfACooldownAndInvalidAnnotations) {
  const JobSpec cold{
      .node = "node0", .age = 4h, .expected_runtime = "1h", .requeue_not_before = "2025-06-01T12:05:00Z"};
  const JobSpec bad{.node = "node0", .age = 4h, .expected_runtime = "soon", .requeue_delay = "-1h"};
  c.running("cold", cold).running("bad", bad);
  EXPECT_EQ(text(3, 3min), R"(
Requeue
  cycles  job   what           why
  3       cold  nominated      overdue since 2025-06-01T09:00:00Z, reported by expectedruntime
  1 to 3  bad   warning        annotation kai.scheduler/requeue-delay: "-1h" is not a duration of zero or more; the default is used
  1 to 3  bad   not nominated  invalid_duration: annotation kai.scheduler/expected-runtime: "soon" is not a positive duration
  1 to 2  cold  not nominated  cooldown until 2025-06-01T12:05:00Z
)");
}

TEST_F(RequeueTable, WarningsAndErrorsAreInJson) {
  c.running("bad", {.node = "node0", .age = 4h, .expected_runtime = "soon", .requeue_delay = "-1h"});
  c.cycle();
  const auto requeue = round_json(c.cluster(), {1, c.now(), c.decisions()}, false)["requeue"];
  EXPECT_EQ(requeue["skipped"].dump(),
            R"([{"job":"default/bad","by":"expectedruntime","reason":"invalid_duration",)"
            R"("error":"annotation kai.scheduler/expected-runtime: \"soon\" is not a positive duration"}])");
  EXPECT_EQ(
      requeue["warnings"].dump(),
      R"([{"job":"default/bad","message":"annotation kai.scheduler/requeue-delay: \"-1h\" is not a duration of zero or more; the default is used"}])");
}

}  // namespace
}  // namespace muster::report
