// The clock in whole scenarios: the times of cycles, and invariants of every run.
#include "sim/clock.hpp"

#include <gtest/gtest.h>

#include <random>

#include "engine/cycle/run_cycle.hpp"
#include "engine/search/search_memory.hpp"
#include "sim/embedded_cluster.hpp"
#include "tests/test_cluster.hpp"

namespace muster {
namespace {

struct Played {
  RunOutcome outcome;
  std::vector<std::string> lines;  // lines of the record, with the time since the start
};

class ClockTest : public testing::Test {
 protected:
  Played play(std::optional<Duration> span = {}, TimedOptions timed = {}) {
    Played played;
    const TimePoint start = c.now();
    timed.from = start;
    if (span) timed.end = start + *span;
    const ClockWatchers watchers{
        .on_cycle = {}, .on_occurrence = [&](const Occurrence& h) {
          if (h.kind == "bind" || h.kind == "evict" || (h.kind == "finish" && h.pod.empty()))
            played.lines.push_back(format_age(h.at - start) + " " + std::string(h.kind) + " " +
                                   (h.pod.empty() ? h.job : h.pod));
        }};
    played.outcome = run_clock(c.cluster(), c.policy(), std::move(agenda), nullptr,
                               {.timed = timed, .period = period}, watchers);
    return played;
  }
  void works(const std::string& job, const Work& work) { agenda.groups["default/" + job] = work; }
  static Work lasts(Duration d) { return {.duration = RunTime{.first = d}}; }

  TestCluster c;
  Agenda agenda;
  Duration period = 1s;
};

using Lines = std::vector<std::string>;

TEST_F(ClockTest, JobsRunOneAfterAnother) {
  c.node("n1", {.gpus = 1}).pending("a").pending("b");
  works("a", lasts(1h));
  works("b", lasts(30min));
  const Played played = play();
  EXPECT_EQ(played.lines, (Lines{"0s bind default/a-0", "60m finish default/a", "60m bind default/b-0",
                                 "90m finish default/b"}));
  EXPECT_EQ(played.outcome.to - played.outcome.from, Duration(90min));
  EXPECT_EQ(played.outcome.cycles, 4) << "after the first, one more, because b still waits";
  EXPECT_EQ(c.cluster().recount(), "");
  EXPECT_FALSE(c.job_id("a").valid()) << "a job that finished leaves the model";
}

// A cycle a month after the last finish, when the delay of `large` is over, finds nothing to do.
TEST_F(ClockTest, ARunEndsWithTheLastThingThatHappened) {
  c.node("n1", {.gpus = 4}).pending("short", {.gpus = 2});
  c.pending("large", {.gpus = 8, .preemption_delay = 720h});
  works("short", lasts(1h));
  const RunOutcome o = play().outcome;
  EXPECT_EQ(o.to - o.from, Duration(1h));
  EXPECT_EQ(o.capacity, GpuTime{4000} * Duration(1h).count());
  EXPECT_EQ(o.used, GpuTime{2000} * Duration(1h).count());
  EXPECT_EQ(o.series.at.back(), o.to);
  const auto queue = std::ranges::find(o.queues, "default", &QueueOutcome::name);
  EXPECT_EQ(queue->fair_gpu_seconds, 4 * 3600.);
  for (const JobOutcome& job : o.jobs)
    for (const auto& wait : job.waits) EXPECT_LE(wait.to, o.to) << job.name;
}

TEST_F(ClockTest, WhatHappensBetweenTwoCyclesCounts) {
  c.node("n1", {.gpus = 4}).pending("a").pending("b");
  works("a", lasts(10s));
  works("b", lasts(5min));
  period = 10min;
  const RunOutcome o = play().outcome;
  EXPECT_EQ(o.to - o.from, Duration(5min));
  EXPECT_EQ(o.capacity, GpuTime{4000} * Duration(5min).count());
}

TEST_F(ClockTest, PreemptionWaitsForTheEndOfAMinimumRuntimeAndForADelay) {
  c.node("n1", {.gpus = 1}).queue("q", {.preempt_min_runtime = 10min});
  c.running("low", {.queue = "q", .node = "n1", .age = 4min});
  c.pending("high", {.queue = "q", .priority = 75, .age = 0min});
  EXPECT_EQ(play().lines, (Lines{"6m evict default/low-0", "6m1s bind default/high-0"}));
}

TEST_F(ClockTest, ACycleRunsAtTheEndOfAPreemptionDelay) {
  c.node("n1", {.gpus = 1}).queue("q");
  c.running("low", {.queue = "q", .node = "n1", .age = 4min});
  c.pending("high", {.queue = "q", .priority = 75, .age = 0min, .preemption_delay = 3min});
  EXPECT_EQ(play().lines, (Lines{"3m evict default/low-0", "3m1s bind default/high-0"}));
}

// The number of decisions of one more cycle.
std::string decided_at(TestCluster& c, TimePoint at) {
  const Decisions d = run_cycle(c.cluster(), c.policy(), at);
  return std::to_string(d.binds.size()) + " binds, " + std::to_string(d.evictions.size()) + " evictions";
}

class RandomRuns : public testing::TestWithParam<unsigned> {};

Duration minutes(std::mt19937& random, int least, int most) {
  return std::chrono::minutes(std::uniform_int_distribution(least, most)(random));
}

// Creates a few nodes and queues, and various jobs: gangs, elastic jobs, jobs with checkpoints, jobs without
// an end.
void fill(std::mt19937& random, TestCluster& c, Agenda& agenda) {
  const auto pick = [&](int least, int most) { return std::uniform_int_distribution(least, most)(random); };
  for (int n = 0; n < 3; ++n) c.node("n" + std::to_string(n), {.gpus = pick(2, 4)});
  for (int q = 0; q < 3; ++q)
    c.queue("q" + std::to_string(q),
            {.deserved = static_cast<double>(pick(0, 4)),
             .preempt_min_runtime = pick(0, 1) == 1 ? std::optional<Duration>(5min) : std::nullopt,
             .reclaim_min_runtime = pick(0, 1) == 1 ? std::optional<Duration>(10min) : std::nullopt});
  for (int j = 0; j < 14; ++j) {
    const std::string name = "j" + std::to_string(j);
    const int tasks = pick(1, 4);
    c.pending(name, {.queue = "q" + std::to_string(pick(0, 2)),
                     .tasks = tasks,
                     .min = pick(1, tasks),
                     .gpus = pick(1, 2),
                     .priority = pick(0, 3) == 0 ? 75 : 50});
    Work work;
    if (pick(0, 7) > 0) work.duration = RunTime{RunTime::Law::kExponential, minutes(random, 5, 90), {}};
    if (pick(0, 3) == 0) work.work = minutes(random, 30, 200);
    if (pick(0, 1) == 0) work.checkpoint_every = minutes(random, 1, 15);
    if (pick(0, 2) == 0) work.restart_cost = minutes(random, 0, 3);
    if (pick(0, 5) == 0) work.fails_after = minutes(random, 1, 20);
    agenda.groups["default/" + name] = work;
  }
}

TEST_P(RandomRuns, TimesAndCapacityAddUp) {
  for (const bool has_delays : {false, true}) {
    std::mt19937 random(GetParam());
    TestCluster c;
    Agenda agenda;
    fill(random, c, agenda);
    const TimedOptions timed{.from = c.now(),
                             .end = c.now() + 20h,
                             .seed = GetParam(),
                             .start_delay = has_delays ? Duration(20s) : Duration{},
                             .eviction_delay = has_delays ? Duration(30s) : Duration{}};
    std::int64_t placed = 0, used_by_jobs_is_right = 0;
    const RunOutcome o =
        run_clock(c.cluster(), c.policy(), std::move(agenda), nullptr, {.timed = timed},
                  {.on_cycle = [&](TimePoint, const Decisions& d) { placed += std::ssize(d.binds); }});
    GpuTime used = 0, lost = 0;
    for (const JobOutcome& job : o.jobs) {
      const TimePoint end = job.finished.value_or(job.failed.value_or(o.to));
      EXPECT_EQ(job.run + job.queued + job.held_idle, end - job.submitted) << job.name;
      EXPECT_GE(job.lost, 0) << job.name;
      EXPECT_LE(job.lost, job.used) << job.name;
      used += job.used;
      lost += job.lost;
      used_by_jobs_is_right += job.used <= GpuTime{job.gpus} * (end - job.submitted).count();
    }
    EXPECT_EQ(used, o.used);
    EXPECT_EQ(used_by_jobs_is_right, std::ssize(o.jobs));
    EXPECT_LE(o.used, o.capacity);
    EXPECT_EQ(o.capacity, GpuTime{o.gpus} * Duration(20h).count());
    GpuTime of_queues = 0, lost_of_queues = 0;
    for (const QueueOutcome& q : o.queues) of_queues += q.used, lost_of_queues += q.lost;
    EXPECT_EQ(of_queues, o.used);
    EXPECT_EQ(lost_of_queues, lost);
    EXPECT_GT(placed, 0);
    EXPECT_EQ(c.cluster().recount(), "");
  }
}

TEST_P(RandomRuns, ACycleAfterTheEndDecidesNothing) {
  std::mt19937 random(GetParam());
  TestCluster c;
  Agenda agenda;
  fill(random, c, agenda);
  const RunOutcome o = run_clock(c.cluster(), c.policy(), std::move(agenda), nullptr,
                                 {.timed = {.from = c.now(), .seed = GetParam()}}, {});
  EXPECT_EQ(decided_at(c, o.to + 1s), "0 binds, 0 evictions");
  EXPECT_EQ(decided_at(c, o.to + 1000h), "0 binds, 0 evictions");
}

// For a job of one pod without restart cost, the run time is the needed time plus the lost time.
TEST_P(RandomRuns, LostWorkIsRunAgain) {
  std::mt19937 random(GetParam());
  TestCluster c;
  Agenda agenda;
  fill(random, c, agenda);
  for (auto& [name, work] : agenda.groups) work.restart_cost.reset(), work.work.reset();
  const RunOutcome o = run_clock(c.cluster(), c.policy(), std::move(agenda), nullptr,
                                 {.timed = {.from = c.now(), .end = c.now() + 60h, .seed = GetParam()}}, {});
  for (const JobOutcome& job : o.jobs) {
    const bool is_of_one_pod = job.used == GpuTime{job.gpus} * job.run.count();
    if (!job.finished || !is_of_one_pod || job.held_idle > Duration::zero()) continue;
    EXPECT_EQ(GpuTime{job.gpus} * (job.run - job.needed).count(), job.lost) << job.name;
  }
}

std::string decided_in(const Cluster& cluster, const Decisions& decisions) {
  std::string text;
  for (const BindDecision& b : decisions.binds)
    text += "bind " + cluster.task(b.task).name + " " + cluster.node(b.node).name + "; ";
  for (const EvictDecision& e : decisions.evictions)
    text += e.action + " " + cluster.task(e.task).name + "; ";
  return text;
}

TEST_P(RandomRuns, WithoutWorkDecisionsEqualThoseOfCycles) {
  std::mt19937 random(GetParam()), again(GetParam());
  TestCluster over_time, in_rounds;
  Agenda ignored;
  fill(random, over_time, ignored);
  fill(again, in_rounds, ignored);
  std::vector<std::pair<TimePoint, std::string>> cycles;
  const TimePoint start = over_time.now();
  run_clock(over_time.cluster(), over_time.policy(), Agenda{}, nullptr,
            {.timed = {.from = start, .end = start + 2h}},
            {.on_cycle = [&](TimePoint at, const Decisions& d) {
              cycles.emplace_back(at, decided_in(over_time.cluster(), d));
            }});
  ASSERT_FALSE(cycles.empty());
  EmbeddedCluster embedded;
  SearchMemory memory;
  for (const auto& [at, decided] : cycles) {
    const Decisions d = run_cycle(in_rounds.cluster(), in_rounds.policy(), at, {&memory, nullptr});
    EXPECT_EQ(decided_in(in_rounds.cluster(), d), decided) << format_age(at - start);
    embedded.carry_out(in_rounds.cluster(), d, at);
    embedded.update(in_rounds.cluster(), at);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomRuns, testing::Range(1U, 41U));

}  // namespace
}  // namespace muster
