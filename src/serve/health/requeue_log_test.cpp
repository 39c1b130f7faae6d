// What requeue logs, at which verbosity, and how often.
#include "serve/health/requeue_log.hpp"

#include <gmock/gmock.h>

#include "serve/health/log.hpp"
#include "tests/test_cluster.hpp"

namespace muster::serve {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class RequeueLogTest : public testing::Test {
 protected:
  RequeueLogTest() { c.node("node0", {.gpus = 1}); }

  // What a cycle logs, without the time: "debug   Requeue candidate nominated: …".
  std::vector<std::string> logged() {
    c.cycle();
    testing::internal::CaptureStderr();
    requeue_log.write(c.cluster(), *c.decisions().requeue);
    std::istringstream text(testing::internal::GetCapturedStderr());
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line.substr(line.find(' ') + 1));
    return lines;
  }
  void log_at(int verbosity) { log = Log(verbosity); }

  TestCluster c;
  Log log{5};
  RequeueLog requeue_log{log};
};

const JobSpec kOverdue{.node = "node0", .age = 4h, .expected_runtime = "1h"};

TEST_F(RequeueLogTest, LogsNominationsInEveryCycle) {
  c.running("train", kOverdue);
  for (int i = 0; i < 2; ++i)
    EXPECT_THAT(
        logged(),
        ElementsAre("debug   Requeue candidate nominated: job=train/default, plugin=expectedruntime"));
}

TEST_F(RequeueLogTest, LogsWhyAJobIsNotNominated) {
  JobSpec job = kOverdue;
  job.requeue_not_before = "2025-06-01T12:05:00Z";
  c.running("train", job);
  EXPECT_THAT(logged(),
              ElementsAre("debug   Requeue nomination skipped: job=train/default, reason=cooldown"));
}

TEST_F(RequeueLogTest, LogsVictimPreemptorAndCooldown) {
  log_at(3);
  c.running("train", kOverdue).pending("urgent", {.priority = 75});
  EXPECT_THAT(logged(),
              ElementsAre("info    Requeue committed: job=train/default, contender=urgent/default, pods=1, "
                          "nominated_by=expectedruntime, requeue_not_before=2025-06-01T12:05:00Z"));
  EXPECT_THAT(logged(), IsEmpty());
}

TEST_F(RequeueLogTest, LogsRollbacksAndSkippedJobs) {
  c.queue("q", {.preempt_min_runtime = 10h}).node("node1", {.gpus = 2});
  JobSpec safe = kOverdue, stuck = kOverdue;
  safe.queue = "q";
  stuck.node = "node1";
  c.running("safe", safe).running("stuck", stuck).running("rock", {.preemptible = false, .node = "node1"});
  c.pending("small", {.queue = "q", .priority = 75});
  c.pending("big", {.gpus = 2, .priority = 75});
  c.only({"allocate", "requeue"});
  EXPECT_THAT(logged(), testing::IsSupersetOf({"debug   Requeue candidate passed over: job=safe/default, "
                                               "nominated_by=expectedruntime, reason=minruntime_protected",
                                               "debug   Requeue rolled back: contender=big/default, "
                                               "nominated_by=expectedruntime"}));
}

TEST_F(RequeueLogTest, LogsAProblemOnceWhileItPersists) {
  log_at(4);
  JobSpec job = kOverdue;
  job.expected_runtime = "soon";
  job.requeue_delay = "-1h";
  c.running("train", job);
  EXPECT_THAT(
      logged(),
      ElementsAre(
          "warning Requeue setting ignored: job=train/default, error=annotation kai.scheduler/requeue-delay: "
          "\"-1h\" is not a duration of zero or more; the default is used",
          "warning Requeue nomination skipped: job=train/default, reason=invalid_duration, "
          "error=annotation kai.scheduler/expected-runtime: \"soon\" is not a positive duration"));
  for (int i = 0; i < 3; ++i) EXPECT_THAT(logged(), IsEmpty());
}

TEST_F(RequeueLogTest, LogsAProblemOfAQueueOnce) {
  log_at(4);
  c.queue("q", {.expected_runtime = "soon"}).node("node1", {.gpus = 2});
  for (const char* name : {"a", "b"}) c.running(name, {.queue = "q", .node = "node1", .age = 4h});
  EXPECT_THAT(
      logged(),
      ElementsAre(
          "warning Requeue setting ignored: queue=q, error=annotation kai.scheduler/expected-runtime: "
          "\"soon\" is not a duration of zero or more; jobs of the queue get no expected runtime"));
  EXPECT_THAT(logged(), IsEmpty());
}

TEST_F(RequeueLogTest, LogsAProblemAgainAfterAChange) {
  log_at(4);
  const auto expects = [&](const std::string& runtime) {
    JobSpec changed = kOverdue;
    changed.expected_runtime = runtime;
    c.running("train", changed);
    return logged().size();
  };
  c.running("train", kOverdue);
  EXPECT_EQ(expects("soon"), 1U);
  EXPECT_EQ(expects("soon"), 0U);
  EXPECT_EQ(expects("later"), 1U);
  EXPECT_EQ(expects("1h"), 0U);
  EXPECT_EQ(expects("later"), 1U) << "it was corrected in between";
}

TEST_F(RequeueLogTest, LogsNoWarningsBelowTheirVerbosity) {
  log_at(3);
  JobSpec job = kOverdue;
  job.expected_runtime = "soon";
  c.running("train", job);
  EXPECT_THAT(logged(), IsEmpty());
}

TEST_F(RequeueLogTest, LogsAllDetailsOfACheckAtTraceLevel) {
  log_at(6);
  c.running("train", kOverdue);
  EXPECT_THAT(logged(),
              ElementsAre("trace   Requeue eligibility checked: job=train/default, plugin=expectedruntime, "
                          "active_tasks=1, can_lose_tasks=true, expected_runtime=1h0m0s, "
                          "last_start=2025-06-01T08:00:00Z, runtime=4h0m0s, not_before=none",
                          "debug   Requeue candidate nominated: job=train/default, plugin=expectedruntime"));
}

TEST(RequeueLogDryRun, LogsWhatItWouldHaveDone) {
  Config config;
  config.action_arguments["requeue"] = {.name = "requeue", .arguments = {{"dryRun", "true"}}};
  TestCluster c(config);
  c.only({"allocate", "requeue"}).node("node0", {.gpus = 1});
  c.running("train", kOverdue).pending("urgent", {.priority = 75}).cycle();
  Log log(3);
  testing::internal::CaptureStderr();
  RequeueLog(log).write(c.cluster(), *c.decisions().requeue);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("Requeue would be committed (dry run): job=train/default"));
}

TEST(LogLevels, DependOnVerbosity) {
  EXPECT_EQ(level_of(0), LogLevel::kError);
  EXPECT_EQ(level_of(1), LogLevel::kWarning);
  EXPECT_EQ(level_of(4), LogLevel::kInfo);
  EXPECT_EQ(level_of(5), LogLevel::kDebug);
  EXPECT_EQ(level_of(9), LogLevel::kTrace);
}

}  // namespace
}  // namespace muster::serve
