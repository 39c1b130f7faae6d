// How a cycle uses its caller's stopwatch.
#include "engine/cycle/run_cycle.hpp"

#include <gtest/gtest.h>

#include "tests/rushing_stopwatch.hpp"
#include "tests/test_cluster.hpp"

namespace muster {
namespace {

TEST(RunCycle, MeasuresTimeWithTheGivenStopwatch) {
  TestCluster c;
  c.only({"allocate"}).node("n1").pending("a");
  const RushingStopwatch stopwatch;
  const Decisions d = run_cycle(c.cluster(), c.policy(), c.now(), {.stopwatch = &stopwatch});
  EXPECT_EQ(d.open_milliseconds, 1000);
  EXPECT_EQ(d.actions.at(0).milliseconds, 1000);
}

TEST(RunCycle, WithoutAStopwatchNoTimePasses) {
  TestCluster c;
  c.only({"allocate"}).node("n1").pending("a");
  const Decisions d = run_cycle(c.cluster(), c.policy(), c.now());
  EXPECT_EQ(d.open_milliseconds, 0);
  EXPECT_EQ(d.actions.at(0).milliseconds, 0);
}

}  // namespace
}  // namespace muster
