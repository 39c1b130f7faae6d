// Cycles that remember earlier searches decide like cycles that do not, and a settled cluster is not searched
// again.
#include "engine/search/search_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <random>

#include "engine/cycle/run_cycle.hpp"
#include "model/reason_text.hpp"
#include "policy/policy.hpp"
#include "sim/embedded_cluster.hpp"
#include "tests/random_cluster.hpp"
#include "tests/test_cluster.hpp"

namespace muster {
namespace {

// No search ends early: with a memory the next cycle would continue it, without one it would start again.
Policy unlimited_policy(const Config& config = {}) {
  std::vector<Error> errors;
  Policy policy = policy::make_policy(config, errors);
  policy.settings.search.exhaustive_min_scenarios = 1'000'000;
  return policy;
}

std::int64_t scenarios(const Decisions& decisions) {
  std::int64_t sum = 0;
  for (const ActionStats& a : decisions.actions) sum += a.scenarios_simulated;
  return sum;
}

std::string tell(const Cluster& cluster, const Decisions& decisions) {
  std::string text = text_of(cluster, decisions);
  for (const WaitingJob& w : decisions.waiting) {
    text += "\n" + cluster.job(w.job).name;
    for (const JobReason& r : w.reasons) text += "; " + text_of(cluster, r);
    for (const SearchReport& s : w.searches)
      text += "; " + s.action + " " + std::to_string(s.scenarios) + " " + std::string(s.last_failure);
  }
  return text;
}

RandomCluster crowded_numbers(std::mt19937_64& dice) {
  RandomCluster random;
  for (auto& [list, most] : {std::pair(&random.nodes, 4u), {&random.queues, 5u}, {&random.jobs, 16u}})
    for (unsigned i = 1 + static_cast<unsigned>(dice() % most); i > 0; --i) list->push_back(dice());
  return random;
}

struct World {
  explicit World(const RandomCluster& random) : cluster(cluster_of(objects_of(random))) {}

  Decisions cycle(const Policy& policy, TimePoint now, SearchMemory* memory,
                  const IdSet<JobId>* known_to_wait = nullptr) {
    Decisions decisions = run_cycle(cluster, policy, now, {.memory = memory, .known_to_wait = known_to_wait});
    told = tell(cluster, decisions);
    embedded.carry_out(cluster, decisions, now);
    embedded.update(cluster, now);
    return decisions;
  }

  Cluster cluster;
  EmbeddedCluster embedded;
  std::string told;  // of the last cycle
};

// A user deletes a pod.
void disturb(World& world, std::uint64_t number) {
  const Cluster& c = world.cluster;
  const TaskId task(static_cast<std::uint32_t>(number % std::max<std::size_t>(c.tasks().size(), 1)));
  if (c.tasks().empty() || !c.task(task).alive) return;
  world.cluster.remove(PodObject::kKind, std::string(c.task(task).ns), std::string(c.task(task).name));
}

TEST(SearchMemory, ChangesNoDecision) {
  const Policy policy = unlimited_policy();
  std::int64_t with = 0, without = 0;
  for (unsigned seed = 0; seed < 120; ++seed) {
    std::mt19937_64 dice(seed);
    const RandomCluster random = crowded_numbers(dice);
    World forgetful(random), mindful(random);
    SearchMemory memory;
    TimePoint now = random_cluster_now();
    for (int cycle = 0; cycle < 12; ++cycle) {
      const Decisions expected = forgetful.cycle(policy, now, nullptr);
      const Decisions decided = mindful.cycle(policy, now, &memory);
      ASSERT_EQ(mindful.told, forgetful.told) << "seed " << seed << ", cycle " << cycle;
      with += scenarios(decided), without += scenarios(expected);
      const std::uint64_t number = dice();
      if (number % 4 == 0) disturb(forgetful, number / 4), disturb(mindful, number / 4);
      now += std::chrono::seconds(std::array{0, 1, 60, 3600}[number % 7 % 4]);
    }
  }
  EXPECT_LT(with, without * 3 / 4);
}

// Jobs that fit no node in the last cycle, as the clock of simulated time records them.
IdSet<JobId> waiting_for_a_node(const Decisions& decisions) {
  IdSet<JobId> known;
  for (const WaitingJob& w : decisions.waiting)
    if (!w.reasons.empty() && w.reasons.front().rule == JobRule::kNoNode) known.insert(w.job);
  return known;
}

// The first reason of the job; nothing if it has none.
std::optional<JobRule> front_rule(const Decisions& decisions, JobId job) {
  const auto found = std::ranges::find(decisions.waiting, job, &WaitingJob::job);
  if (found == decisions.waiting.end() || found->reasons.empty()) return std::nullopt;
  return found->reasons.front().rule;
}

// The same for a cycle that already knows which jobs fit no node.
std::optional<JobRule> told_of(const WaitingJob& waiting, const IdSet<JobId>& known) {
  if (waiting.reasons.empty()) return std::nullopt;
  const JobRule rule = waiting.reasons.front().rule;
  return known.contains(waiting.job) && rule == JobRule::kNoNode ? std::nullopt : std::optional(rule);
}

void expect_the_same_decisions(const Policy& policy) {
  std::size_t known_in_all = 0;
  for (unsigned seed = 0; seed < 120; ++seed) {
    std::mt19937_64 dice(seed);
    const RandomCluster random = crowded_numbers(dice);
    World told(random), knowing(random);
    SearchMemory memory, other_memory;
    IdSet<JobId> known;
    TimePoint now = random_cluster_now();
    for (int cycle = 0; cycle < 12; ++cycle) {
      const Decisions expected = told.cycle(policy, now, &memory);
      const Decisions decided = knowing.cycle(policy, now, &other_memory, &known);
      ASSERT_EQ(text_of(knowing.cluster, decided), text_of(told.cluster, expected)) << "seed " << seed;
      ASSERT_EQ(decided.next_deadline, expected.next_deadline) << "seed " << seed << ", cycle " << cycle;
      ASSERT_EQ(decided.is_unfinished, expected.is_unfinished) << "seed " << seed << ", cycle " << cycle;
      for (const WaitingJob& w : expected.waiting)
        ASSERT_EQ(front_rule(decided, w.job), told_of(w, known)) << "seed " << seed << ", cycle " << cycle;
      known = waiting_for_a_node(expected);
      known_in_all += known.items().size();
      const std::uint64_t number = dice();
      if (number % 4 == 0) disturb(told, number / 4), disturb(knowing, number / 4);
      now += std::chrono::seconds(std::array{0, 1, 60, 3600}[number % 7 % 4]);
    }
  }
  EXPECT_GT(known_in_all, 1000u);
}

TEST(SearchMemory, KnownReasonsOfPendingJobsChangeNoDecision) {
  expect_the_same_decisions(unlimited_policy());
}

TEST(SearchMemory, NorInKaisWay) {
  Config config;
  config.params.compatibility = Compatibility::kai_exact();
  expect_the_same_decisions(unlimited_policy(config));
}

// a requests more GPUs than are free. b would fit if r2 moved, but KAI treats b as no easier than a.
std::string decided_for_b(const Config& config, bool is_known) {
  TestCluster c(config);
  for (const char* name : {"n1", "n2"}) c.node(name, {.gpus = 2, .cpu = 4});
  c.running("r1", {.cpu = 3, .node = "n1"});
  for (const char* name : {"r2", "r3"}) c.running(name, {.cpu = 0.5, .node = "n2"});
  c.pending("a", {.gpus = 2}).pending("b", {.gpus = 1, .cpu = 2});
  IdSet<JobId> known;
  if (is_known) known.insert(c.job_id("a")), known.insert(c.job_id("b"));
  SearchMemory memory;
  const Decisions decisions =
      run_cycle(c.cluster(), c.policy(), c.now(), {.memory = &memory, .known_to_wait = &known});
  return text_of(c.cluster(), decisions);
}

TEST(SearchMemory, InKaisWayAJobKnownToWaitStillKeepsLikeJobsFromBeingTried) {
  Config kais;
  kais.params.compatibility = Compatibility::kai_exact();
  for (const bool is_known : {false, true}) {
    EXPECT_EQ(decided_for_b(kais, is_known), "");
    EXPECT_NE(decided_for_b({}, is_known), "");
  }
}

TEST(SearchMemory, ASearchThatFailedRestsUntilSomethingChanges) {
  const Policy policy = unlimited_policy();
  int rested = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::mt19937_64 dice(seed);
    World world(crowded_numbers(dice));
    SearchMemory memory;
    const TimePoint now = random_cluster_now();
    std::int64_t before = 0;
    for (int cycle = 0; cycle < 20; ++cycle) {
      const Decisions decisions = world.cycle(policy, now, &memory);
      if (cycle >= 15) {
        ASSERT_EQ(text_of(world.cluster, decisions), "") << "seed " << seed;
        ASSERT_EQ(scenarios(decisions), 0) << "seed " << seed;
      }
      before = std::max(before, scenarios(decisions));
    }
    rested += before > 0;
  }
  EXPECT_GT(rested, 25);
}

TEST(SearchMemory, ANodeThatSaysWhatIsKnownChangesNothing) {
  TestCluster c;
  c.node("n1", {.gpus = 1});
  c.open();
  const std::uint64_t before = c.cluster().revision();
  c.node("n1", {.gpus = 1});
  EXPECT_EQ(c.cluster().revision(), before);
  c.node("n1", {.gpus = 2});
  EXPECT_GT(c.cluster().revision(), before);
}

}  // namespace
}  // namespace muster
