// Which victims are placed again before the preemptor's turn, and that skipping the simulation of such
// scenarios changes no decision where every victim fits wherever another one was.
#include "engine/search/return_order.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/test_cluster.hpp"

namespace muster {
namespace {

std::int64_t scenarios(const TestCluster& c) {
  std::int64_t sum = 0;
  for (const WaitingJob& w : c.decisions().waiting)
    for (const SearchReport& report : w.searches) sum += report.scenarios;
  return sum;
}

// Two queues with a fair share of four GPUs each. Queue rich has six jobs of one GPU, queue poor holds two
// GPUs.
class TurnsTest : public testing::Test {
 protected:
  TurnsTest() {
    c.only({"reclaim"}).node("n1", {.gpus = 4}).node("n2", {.gpus = 4});
    c.queue("rich", {.deserved = 4}).queue("poor", {.deserved = 4});
    c.running("mine", {.queue = "poor", .tasks = 2, .node = "n1"});
    for (int i = 0; i < 6; ++i) {
      const std::string name = "v" + std::to_string(i);
      c.running(name, {.queue = "rich", .node = i < 2 ? "n1" : "n2", .age = std::chrono::hours(9 - i)});
    }
  }
  TestCluster c;
};

TEST_F(TurnsTest, AVictimServedBeforeThePreemptorIsNotTaken) {
  c.pending("heavy", {.queue = "poor", .tasks = 5, .age = 2h});
  c.pending("light", {.queue = "poor", .tasks = 2, .age = 1h});
  EXPECT_EQ(c.cycle(), "");
  EXPECT_EQ(scenarios(c), 0) << "heavy is served before light, so all jobs of rich are back before light is";
}

TEST_F(TurnsTest, PlayingTheScenariosGivesTheSameResult) {
  c.policy().settings.prove_hopeless = false;
  c.pending("heavy", {.queue = "poor", .tasks = 5, .age = 2h});
  c.pending("light", {.queue = "poor", .tasks = 2, .age = 1h});
  EXPECT_EQ(c.cycle(), "");
  EXPECT_GT(scenarios(c), 0);
}

TEST_F(TurnsTest, APreemptorAtTheHeadOfItsQueueIsFirst) {
  c.pending("light", {.queue = "poor", .tasks = 2, .age = 1h});
  EXPECT_EQ(c.cycle(), "evict v4-0; evict v5-0; pipeline light-0 n2; pipeline light-1 n2");
}

// A large pending job of rich comes before the newer of its victims, and lets poor go first.
TEST_F(TurnsTest, AVictimBehindALargeJobOfItsOwnQueueStaysAway) {
  c.pending("large", {.queue = "rich", .tasks = 8, .age = 6h + 30min});
  c.pending("heavy", {.queue = "poor", .tasks = 5, .age = 2h});
  c.pending("light", {.queue = "poor", .tasks = 2, .age = 1h});
  EXPECT_EQ(c.cycle(), "evict v4-0; evict v5-0; pipeline light-0 n2; pipeline light-1 n2");
}

TEST_F(TurnsTest, AVictimThatMayNotComeBackStaysAway) {
  c.queue("rich", {.deserved = 4, .limit = 4});
  c.pending("heavy", {.queue = "poor", .tasks = 5, .age = 2h});
  c.pending("light", {.queue = "poor", .tasks = 2, .age = 1h});
  EXPECT_EQ(c.cycle(), "evict v4-0; evict v5-0; pipeline light-0 n2; pipeline light-1 n2");
}

class RandomLines {
 public:
  explicit RandomLines(unsigned seed) : random_(seed) {}
  int roll(int sides) { return static_cast<int>(random_() % static_cast<unsigned>(sides)); }

  // Pods with one GPU each, in gangs and alone, in three queues with two departments or none.
  void fill(TestCluster& c) {
    c.only({"allocate", "reclaim"});
    const int nodes = 2 + roll(3);
    for (int i = 0; i < nodes; ++i) c.node("n" + std::to_string(i), {.gpus = 4});
    const bool is_flat = roll(2) == 0;
    if (!is_flat) c.queue("d0", {.deserved = 4}).queue("d1", {.deserved = 8});
    for (int q = 0; q < 3; ++q)
      c.queue(queue(q), {.parent = is_flat ? ""
                                   : q < 2 ? "d0"
                                           : "d1",
                         .deserved = 1.0 + roll(4),
                         .limit = roll(5) == 0 ? 5.0 : -1.0,
                         .priority = roll(4) == 0 ? 200 : 100});
    for (int i = 0, free = 4; i < nodes; i += free == 0, free = free == 0 ? 4 : free) free -= run(c, i, free);
    for (int i = 0, jobs = 1 + roll(6); i < jobs; ++i)
      c.pending("w" + std::to_string(i), {.queue = queue(roll(3)), .tasks = 1 + roll(6), .age = age()});
  }

 private:
  static std::string queue(int number) { return "q" + std::to_string(number); }
  Duration age() { return std::chrono::minutes(1 + roll(600)); }
  int run(TestCluster& c, int node, int free) {
    const int tasks = std::min(free, 1 + roll(3)), surplus = roll(4) == 0 ? roll(tasks) : 0;
    c.running("r" + std::to_string(count_++), {.queue = queue(roll(4) == 0 ? roll(3) : 0),
                                               .tasks = tasks,
                                               .min = tasks - surplus,
                                               .priority = roll(4) == 0 ? 60 : 50,
                                               .node = "n" + std::to_string(node),
                                               .age = age()});
    return tasks;
  }

  std::mt19937 random_;
  int count_ = 0;
};

TEST(ReturnOrder, CountingEqualPodsChangesNoDecision) {
  std::int64_t played = 0, left_out = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    TestCluster ours, plain;
    RandomLines(seed).fill(ours);
    RandomLines(seed).fill(plain);
    plain.policy().settings.prove_hopeless = false;
    for (int cycle = 0; cycle < 3; ++cycle) {
      ASSERT_EQ(ours.cycle(), plain.cycle()) << "seed " << seed << ", cycle " << cycle;
      played += scenarios(ours);
      left_out += scenarios(plain) - scenarios(ours);
    }
  }
  EXPECT_GT(played, 0);
  EXPECT_GT(left_out, played / 10);
}

}  // namespace
}  // namespace muster
