// Many decisions cause back-pressure, which ends when they stop.
#include "serve/write/backpressure.hpp"

#include <gtest/gtest.h>

namespace muster::serve {
namespace {

using namespace std::chrono_literals;

TEST(WriteBackpressure, AFewDecisionsCauseNoBackPressure) {
  WriteBackpressure rush;
  const auto start = kube::Clock::now();
  EXPECT_FALSE(rush.is_on(start));
  for (int second = 0; second < 60; ++second) rush.decided(20, start + second * 1s);
  EXPECT_FALSE(rush.is_on(start + 59s));
}

TEST(WriteBackpressure, LastsAsLongAsThereAreManyDecisions) {
  WriteBackpressure rush;
  const auto start = kube::Clock::now();
  for (int step = 0; step < 100; ++step) rush.decided(10, start + step * 100ms);
  EXPECT_TRUE(rush.is_on(start + 10s));
  EXPECT_FALSE(rush.is_on(start + 12s));
}

TEST(WriteBackpressure, EndsSoonAfterOneLargeGang) {
  WriteBackpressure rush;
  const auto start = kube::Clock::now();
  rush.decided(500, start);
  EXPECT_TRUE(rush.is_on(start + 1s));
  EXPECT_FALSE(rush.is_on(start + 3s));
}

}  // namespace
}  // namespace muster::serve
