// The solver: which victims it gives back, how far it searches, and what it reports. tests/ compares it with
// brute force.
#include "engine/search/solver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "engine/cycle/run_cycle.hpp"
#include "tests/rushing_stopwatch.hpp"
#include "tests/test_cluster.hpp"

namespace muster {
namespace {

Config kai_exact() {
  Config config;
  config.params.compatibility = Compatibility::kai_exact();
  return config;
}

// Two gangs of two pods, each with one pod on the node with two GPUs and one elsewhere. Emptying that node
// takes both gangs.
void two_gangs(TestCluster& c) {
  c.node("n1", {.gpus = 2}).node("n2", {.gpus = 2}).queue("q", {.deserved = 4});
  c.running("a", {.queue = "q", .tasks = 2, .nodes = {"n1", "n2"}});
  c.running("b", {.queue = "q", .tasks = 2, .nodes = {"n1", "n2"}});
  c.pending("p", {.queue = "q", .tasks = 2, .gpus = 1, .priority = 75});
}

TEST(Solver, GivesBackVictimsThatAreNotNeeded) {
  TestCluster c;
  two_gangs(c);
  EXPECT_EQ(c.cycle(), "evict b-0 b-1; pipeline p-0 n1; pipeline p-1 n2");
}

TEST(Solver, WritesARecordForEveryEviction) {
  TestCluster c;
  c.node("n1", {.gpus = 2}).queue("rich", {.deserved = 1}).queue("poor", {.deserved = 1});
  c.running("v", {.queue = "rich", .node = "n1", .age = 2h})
      .running("w", {.queue = "rich", .node = "n1", .age = 1h});
  c.pending("p", {.queue = "poor"}).cycle();
  ASSERT_EQ(c.decisions().evictions.size(), 1U);
  const EvictDecision& e = c.decisions().evictions[0];
  EXPECT_EQ(e.rule, "its queue is above its fair share");
  EXPECT_EQ(e.victim_queue.queue, c.queue_id("rich"));
  EXPECT_EQ(e.victim_queue.held[index(Accounted::kGpus)], 2);
  EXPECT_EQ(e.victim_queue.quota[index(Accounted::kGpus)], 1);
  EXPECT_EQ(e.preemptor_queue.held[index(Accounted::kGpus)], 0);
  EXPECT_EQ(e.runtime_lost, Duration(1h));
}

const SearchReport& only_search(const TestCluster& c) { return c.decisions().waiting.at(0).searches.at(0); }

TEST(Solver, ReportsWhatItTried) {
  TestCluster c;
  c.only({"preempt"}).node("n1", {.gpus = 2}).queue("q", {.deserved = 2});
  c.running("v", {.queue = "q", .node = "n1"}).running("w", {.queue = "q", .priority = 90, .node = "n1"});
  c.pending("p", {.queue = "q", .gpus = 2, .priority = 75}).cycle();
  const SearchReport& report = only_search(c);
  EXPECT_EQ(report.action, "preempt");
  EXPECT_EQ(report.end, SearchEnd::kProven);
  EXPECT_EQ(report.candidates, 1);
  ASSERT_EQ(report.spared.size(), 1U);
  EXPECT_EQ(report.spared[0].rule, "priority not lower");
  EXPECT_EQ(
      c.why("p"),
      "needs 2 GPUs; evictions could make room for at most 0 (1 GPU is not evictable: priority not lower)");
}

// Sixteen jobs on four nodes, and shares that forbid taking as many as needed: every scenario fails.
void hopeless(TestCluster& c) {
  c.only({"reclaim"})
      .queue("rich", {.deserved = 13, .weight = 0})
      .queue("poor", {.deserved = 4, .weight = 0});
  for (int n = 0; n < 4; ++n) c.node("n" + std::to_string(n), {.gpus = 4});
  for (int j = 0; j < 16; ++j)
    c.running("v" + std::to_string(j), {.queue = "rich", .node = "n" + std::to_string(j % 4)});
  c.pending("p", {.queue = "poor", .gpus = 4});
}

TEST(Solver, ProvesThatSharesForbidIt) {
  TestCluster c;
  hopeless(c);
  EXPECT_EQ(c.cycle(), "");
  EXPECT_EQ(only_search(c).end, SearchEnd::kProven);
  EXPECT_EQ(c.why("p"),
            "needs 4 GPUs from other queues; fair shares and quotas let it take less than 4, most of them "
            "from queue rich, which uses 16");
}

TEST(Solver, StopsAtItsLimitAndContinuesInTheNextCycle) {
  TestCluster c(kai_exact());
  hopeless(c);
  c.policy().settings.prove_hopeless = false;
  c.cycle();
  const std::int64_t all = only_search(c).scenarios;
  ASSERT_GT(all, 4);
  EXPECT_EQ(only_search(c).end, SearchEnd::kNoScenario);
  EXPECT_EQ(only_search(c).last_failure, "the fair shares of the queues do not allow it");

  c.policy().settings.search.scenarios_per_job = all / 2;
  SearchMemory memory;
  const auto cycle = [&] {
    return run_cycle(c.cluster(), c.policy(), c.now(), {.memory = &memory}).waiting.at(0);
  };
  WaitingJob last = cycle();
  EXPECT_EQ(last.searches.at(0).end, SearchEnd::kCutShort);
  EXPECT_EQ(last.searches.at(0).scenarios, all / 2);
  EXPECT_EQ(last.reasons.at(0).rule, JobRule::kSearchUnresolved);
  std::int64_t played = last.searches.at(0).scenarios;
  for (int i = 0; i < 3 && last.searches.at(0).end == SearchEnd::kCutShort; ++i) {
    last = cycle();
    played += last.searches.at(0).scenarios;
  }
  EXPECT_EQ(last.searches.at(0).end, SearchEnd::kNoScenario) << "the search is complete";
  EXPECT_EQ(played, all) << "no scenario was tried twice";
  FailedScenarios failed;
  memory.recall(c.open(), "reclaim", c.job_id("p"), failed);
  EXPECT_TRUE(failed.empty()) << "nothing is left to continue";
}

// A job with two surplus tasks and a gang. A probe that finds the job recorded skips all its steps at once;
// the next probe must not mistake the first step for the whole job.
TEST(Solver, ASkippedJobIsOfferedAgainStepByStep) {
  TestCluster c;
  c.node("n", {.gpus = 4}).running("v", {.tasks = 4, .min = 2, .node = "n"});
  c.pending("p", {.gpus = 4, .priority = 75});
  Session& s = c.open();
  VictimPool pool(s);
  GpuRoom room(s.cluster);
  room.update();
  VictimAccumulator victims(s, pool, room);
  const Candidates candidates{.leaves = {s.cluster.job(c.job_id("v")).queue},
                              .eviction_refusal = [](JobId) { return std::nullopt; }};
  victims.begin(candidates);
  const auto steps = [&](const Batches& recorded) {
    const Chunk chunk = s.chunk(c.job_id("p"));
    const Bitmap feasible = room.nodes_with_room();
    victims.start({c.job_id("p"), chunk.tasks, &recorded, &feasible});
    while (victims.grow()) {
    }
    return victims.batches().size();
  };
  Batches all;
  all.append(c.job_id("v"), s.cluster.job(c.job_id("v")).pod_sets[0].tasks);
  EXPECT_EQ(steps({}), 3U);
  EXPECT_EQ(steps(all), 0U);
  EXPECT_EQ(steps({}), 3U);
}

// Nine different jobs are pending, and the steps of a cycle suffice for some of them.
TEST(Solver, WhoIsPutOffComesFirstInTheNextCycle) {
  TestCluster c;
  c.only({"preempt"}).node("n", {.gpus = 8}).running("v", {.tasks = 8, .node = "n"});
  for (int i = 0; i < 9; ++i)
    c.pending("p" + std::to_string(i), {.gpus = 9 - i, .cpu = 1.0 + i, .priority = 50});
  const auto put_off = [&](const Decisions& d) {
    std::set<std::string> jobs;
    for (const WaitingJob& w : d.waiting)
      if (std::ranges::any_of(w.reasons,
                              [](const JobReason& r) { return r.rule == JobRule::kSearchUnresolved; }))
        jobs.insert(c.cluster().job(w.job).name);
    EXPECT_EQ(d.is_unfinished, !jobs.empty());
    return jobs;
  };
  EXPECT_TRUE(put_off(run_cycle(c.cluster(), c.policy(), c.now())).empty());
  c.policy().settings.search.steps_per_action = 1;  // less than one search takes
  SearchMemory memory;
  std::map<std::string, int> turns;
  for (int cycle = 0; cycle < 24; ++cycle) {
    const auto later = put_off(run_cycle(c.cluster(), c.policy(), c.now(), {.memory = &memory}));
    EXPECT_FALSE(later.empty());
    for (int i = 0; i < 9; ++i) turns["p" + std::to_string(i)] += !later.contains("p" + std::to_string(i));
  }
  for (const auto& [job, count] : turns) EXPECT_GE(count, 3) << job;
}

// The clock is read once per scenario and advances a second each time: the fourth second is over after three
// scenarios.
TEST(Solver, RunsOutOfTimeAtTheSameScenarioEveryTime) {
  for (int run = 0; run < 3; ++run) {
    TestCluster c(kai_exact());
    hopeless(c);
    c.pending("q", {.queue = "poor", .gpus = 4});
    c.policy().settings.prove_hopeless = false;
    // Three reads at the starts of action, job and generator, then one per scenario.
    c.policy().settings.search.actions["reclaim"] = 5s;
    const RushingStopwatch stopwatch;
    const Decisions d = run_cycle(c.cluster(), c.policy(), c.now(), {.stopwatch = &stopwatch});
    const SearchReport& report = d.waiting.at(0).searches.at(0);
    EXPECT_EQ(report.end, SearchEnd::kCutShort);
    EXPECT_EQ(report.scenarios, 2);
    EXPECT_EQ(d.waiting.at(0).reasons.at(0).rule, JobRule::kSearchUnresolved);
    EXPECT_TRUE(d.waiting.at(1).searches.empty()) << "the action is out of time";
  }
}

TEST(Solver, NeverRunsOutOfTimeWithoutAStopwatch) {
  TestCluster c(kai_exact());
  hopeless(c);
  c.policy().settings.prove_hopeless = false;
  c.policy().settings.search.actions["reclaim"] = 1ns;
  c.cycle();
  EXPECT_EQ(only_search(c).end, SearchEnd::kNoScenario);
}

TEST(Solver, StartsOverWhenSomethingChanged) {
  TestCluster c(kai_exact());
  hopeless(c);
  c.policy().settings.prove_hopeless = false;
  c.policy().settings.search.scenarios_per_job = 2;
  SearchMemory memory;
  run_cycle(c.cluster(), c.policy(), c.now(), {.memory = &memory});
  FailedScenarios failed;
  memory.recall(c.open(), "reclaim", c.job_id("p"), failed);
  EXPECT_EQ(failed.size(), 2U);
  failed.clear();
  c.node("new");
  memory.recall(c.open(), "reclaim", c.job_id("p"), failed);
  EXPECT_TRUE(failed.empty());
}

// The two-GPU job can run only if the gangs x and y both leave; neither of KAI's generators proposes just
// these.
TEST(Solver, AsksTheCompleteGeneratorLast) {
  const auto cycle = [](const Config& config) {
    TestCluster c(config);
    c.only({"preempt"});
    return c.policy().plugins.back().name;
  };
  EXPECT_EQ(cycle({}), "sg-exhaustive");
  EXPECT_EQ(cycle(kai_exact()), "sg-multinodegang");
}

}  // namespace
}  // namespace muster
