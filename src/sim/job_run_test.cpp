// One job over time: progress, checkpoints, restarts, failures, and the division of its time.
#include "sim/job_run.hpp"

#include <gtest/gtest.h>

namespace muster {
namespace {

using namespace std::chrono_literals;

const TimePoint kStart = *parse_time("2025-06-01T12:00:00Z");

// A gang of `pods` with minimum `minimum`, all with the same plan. Times are relative to the start.
class JobRunTest : public testing::Test {
 protected:
  void make(int pods, int minimum, const JobRun::Plan& plan) {
    minimum_ = minimum;
    for (int i = 0; i < pods; ++i) run.add(plan);
  }
  void at(Duration since_start) { run.advance(kStart + since_start); }
  void settle() {
    int count = 0, running = 0;
    for (JobRun::Pod p = 0; p < run.pods(); ++p) {
      running += run.is_running(p) ? 1 : 0;
      count += run.is_running(p) || run.is_finished(p) ? 1 : 0;
    }
    run.settle(running > 0 && count >= minimum_);
  }
  void start(Duration when, const std::vector<JobRun::Pod>& pods) {
    at(when);
    for (JobRun::Pod p : pods) run.take_place(p), run.start(p);
    settle();
  }
  void evict(Duration when, const std::vector<JobRun::Pod>& pods) {
    at(when);
    for (JobRun::Pod p : pods) run.lose_place(p);
    settle();
  }
  // Time from the start to the next event.
  Duration next() const { return run.next() ? *run.next() - kStart : Duration::max(); }
  Duration lost_by_one_gpu() const { return Duration(static_cast<std::int64_t>(run.lost / 1000)); }

  JobRun run{kStart};
  int minimum_ = 1;
};

const JobRun::Plan kTwoHours{.total = 2h, .gpus = 1000};

TEST_F(JobRunTest, UndisturbedItTakesAsLongAsItsLongestPod) {
  make(3, 3, kTwoHours);
  run.add({.total = 5h});
  EXPECT_EQ(run.undisturbed(), 5h);
}

TEST_F(JobRunTest, PodsCreatedWhenOthersFinishTakeTurns) {
  make(2, 1, kTwoHours);
  start(0min, {0, 1});
  for (JobRun::Pod made = 2; made < 6; ++made) {
    run.finish(made - 2);
    run.add(kTwoHours);
  }
  EXPECT_EQ(run.undisturbed(), 6h);  // 12 hours of pod time, two pods at a time
}

TEST_F(JobRunTest, APodRunsUntilItsWorkIsDone) {
  make(1, 1, kTwoHours);
  start(10min, {0});
  EXPECT_EQ(next(), 2h + 10min);
  EXPECT_EQ(*run.first_start, kStart + 10min);
  at(2h + 10min);
  EXPECT_EQ(run.due_to_finish(), std::vector<JobRun::Pod>{0});
  EXPECT_EQ(run.queued, 10min);
  EXPECT_EQ(run.run, 2h);
  EXPECT_EQ(run.used, GpuTime{1000} * Duration(2h).count());
}

TEST_F(JobRunTest, WithoutCheckpointsAnEvictionCostsEverything) {
  make(1, 1, kTwoHours);
  start(0h, {0});
  evict(90min, {0});
  EXPECT_EQ(lost_by_one_gpu(), 90min);
  start(2h, {0});
  EXPECT_EQ(next(), 4h);
  EXPECT_EQ(run.starts, 2);
  EXPECT_EQ(run.queued, 30min);
}

TEST_F(JobRunTest, CheckpointsAreMultiplesOfProgressNotOfTime) {
  JobRun::Plan plan = kTwoHours;
  plan.checkpoint_every = 20min;
  make(1, 1, plan);
  start(7min, {0});
  evict(57min, {0});  // of 50 minutes of progress, 40 are kept
  EXPECT_EQ(lost_by_one_gpu(), 10min);
  start(1h, {0});
  EXPECT_EQ(next(), 2h + 20min);
}

TEST_F(JobRunTest, ARestartCostsTimeButNoProgress) {
  JobRun::Plan plan = kTwoHours;
  plan.checkpoint_every = 30min;
  plan.restart_cost = 5min;
  make(1, 1, plan);
  start(0h, {0});
  evict(1h, {0});
  start(1h, {0});
  EXPECT_EQ(next(), 2h + 5min);
  evict(1h + 3min, {0});  // during the restart: there is no progress to lose, and the cost is paid again
  EXPECT_EQ(lost_by_one_gpu(), 0s);
  start(1h + 3min, {0});
  EXPECT_EQ(next(), 2h + 8min);
}

TEST_F(JobRunTest, AGangMakesProgressOnlyAtItsMinimum) {
  make(2, 2, kTwoHours);
  start(0h, {0});
  EXPECT_EQ(next(), Duration::max());
  start(30min, {1});
  EXPECT_EQ(run.held_idle, 30min);
  EXPECT_EQ(next(), 2h + 30min);
}

TEST_F(JobRunTest, BelowItsMinimumTheWholeGangLosesProgress) {
  JobRun::Plan plan = kTwoHours;
  plan.checkpoint_every = 1h;
  make(2, 2, plan);
  start(0h, {0, 1});
  evict(90min, {1});
  EXPECT_EQ(lost_by_one_gpu(), 1h);  // half an hour of each pod
  start(100min, {1});
  EXPECT_EQ(next(), 100min + 1h);
  EXPECT_EQ(run.held_idle, 10min);
}

TEST_F(JobRunTest, AboveItsMinimumOnlyTheEvictedPodLosesProgress) {
  make(3, 2, kTwoHours);
  start(0h, {0, 1, 2});
  evict(1h, {2});
  EXPECT_EQ(lost_by_one_gpu(), 1h);
  EXPECT_EQ(next(), 2h);
  EXPECT_EQ(run.starts, 1);
}

TEST_F(JobRunTest, PodsThatFinishedCountTowardsTheMinimum) {
  make(2, 2, kTwoHours);
  JobRun::Plan longer = kTwoHours;
  longer.total = 3h;
  run.set_plan(1, longer);
  start(0h, {0, 1});
  at(2h);
  run.finish(0);
  settle();
  EXPECT_TRUE(run.is_at_minimum());
  EXPECT_EQ(next(), 3h);
  at(3h);
  run.finish(1);
  EXPECT_TRUE(run.are_all_finished());
}

TEST_F(JobRunTest, CommonWorkIsDoneFasterByMorePods) {
  make(4, 1, {.gpus = 1000});
  run.set_common_work(4h, {});
  start(0h, {0});
  EXPECT_EQ(next(), 4h);
  start(1h, {1, 2});  // three hours of work are left for three pods
  EXPECT_EQ(next(), 2h);
  evict(90min, {2});  // half an hour of it must be done again: 3h − 1.5h + 0.5h by two pods
  EXPECT_EQ(lost_by_one_gpu(), 30min);
  EXPECT_EQ(next(), 90min + 1h);
  at(150min);
  EXPECT_TRUE(run.is_common_work_done());
}

TEST_F(JobRunTest, CommonWorkThatDoesNotDivideEvenlyEnds) {
  make(3, 3, {.gpus = 0});
  run.set_common_work(Duration(10), {});
  start(0h, {0, 1, 2});
  EXPECT_EQ(next(), Duration(4));
  at(Duration(4));
  EXPECT_TRUE(run.is_common_work_done());
}

TEST_F(JobRunTest, APodFailsOnce) {
  JobRun::Plan plan = kTwoHours;
  plan.fails_after = 30min;
  make(1, 1, plan);
  start(0h, {0});
  EXPECT_EQ(next(), 30min);
  at(30min);
  EXPECT_EQ(run.due_to_fail(), std::vector<JobRun::Pod>{0});
  run.lose_place(0, true);
  settle();
  EXPECT_EQ(lost_by_one_gpu(), 30min);
  start(30min, {0});
  EXPECT_EQ(next(), 2h + 30min);
}

TEST_F(JobRunTest, WorkFromBeforeTheRunDoesNotCountAsLost) {
  make(1, 1, kTwoHours);
  run.set_done_before(0, 1h);
  start(0h, {0});
  EXPECT_EQ(next(), 1h);
  evict(30min, {0});
  EXPECT_EQ(lost_by_one_gpu(), 30min);
  start(30min, {0});
  EXPECT_EQ(next(), 150min);
}

TEST_F(JobRunTest, ATerminatingPodKeepsItsPlaceAndMakesNoProgress) {
  make(1, 1, kTwoHours);
  start(0h, {0});
  at(1h);
  run.stop(0);
  settle();
  at(1h + 30s);
  EXPECT_EQ(run.held_idle, 30s);
  run.leave_place(0);
  settle();
  at(2h);
  EXPECT_EQ(run.queued, 59min + 30s);
  EXPECT_EQ(run.run, 1h);
  EXPECT_EQ(run.used, GpuTime{1000} * Duration(1h + 30s).count());
}

TEST_F(JobRunTest, WithoutADurationAJobRunsForever) {
  make(1, 1, {.gpus = 1000});
  start(0h, {0});
  EXPECT_EQ(next(), Duration::max());
}

TEST_F(JobRunTest, NoWorkIsDoneAtOnce) {
  make(1, 1, {.total = Duration::zero(), .gpus = 1000});
  start(1h, {0});
  EXPECT_EQ(next(), 1h);
  EXPECT_EQ(run.due_to_finish(), std::vector<JobRun::Pod>{0});
}

}  // namespace
}  // namespace muster
