// The search for victims works in buffers: the number of its allocations does not grow with the number of
// scenarios.
#include <gtest/gtest.h>

#include "bench/counting_new.hpp"
#include "engine/cycle/run_cycle.hpp"
#include "tests/test_cluster.hpp"

namespace muster {
namespace {

struct Effort {
  std::int64_t allocations = 0, scenarios = 0;
};

// Every victim frees a GPU; only a simulated scenario shows that CPUs are missing.
Effort search(std::int64_t at_most) {
  constexpr int kNodes = 200;
  TestCluster c;
  c.only({"preempt"});
  for (int i = 0; i < kNodes; ++i) {
    const std::string n = std::to_string(i);
    c.node("n" + n, {.gpus = 1, .cpu = 10});
    c.running("low" + n, {.priority = 40, .node = "n" + n});
    c.running("hog" + n, {.gpus = 0, .cpu = 5, .preemptible = false, .node = "n" + n});
  }
  c.pending("high", {.cpu = 6, .priority = 60});
  c.policy().settings.search.scenarios_per_job = at_most;
  c.cluster().refresh(c.now());
  const std::int64_t before = bench::allocations();
  const Decisions decisions = run_cycle(c.cluster(), c.policy(), c.now());
  Effort effort{.allocations = bench::allocations() - before};
  for (const ActionStats& a : decisions.actions) effort.scenarios += a.scenarios_simulated;
  EXPECT_TRUE(decisions.evictions.empty());
  return effort;
}

TEST(Allocations, DoNotGrowWithTheScenariosOfASearch) {
  const Effort some = search(20), many = search(150);
  EXPECT_EQ(some.scenarios, 20);
  EXPECT_EQ(many.scenarios, 150);
  EXPECT_LT(many.allocations - some.allocations, (many.scenarios - some.scenarios) / 4)
      << "buffers double at times";
}

}  // namespace
}  // namespace muster
