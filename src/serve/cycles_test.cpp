// Recognition of cycles that hang.
#include "serve/cycles.hpp"

#include <gtest/gtest.h>

namespace muster::serve {
namespace {

TEST(CycleGuardTest, OnlyARunningCycleCanHang) {
  CycleGuard guard;
  const auto start = CycleGuard::Clock::now();
  const auto late = start + CycleGuard::kHung + std::chrono::seconds(1);
  EXPECT_FALSE(guard.hangs(late));
  guard.begins(start);
  EXPECT_TRUE(guard.is_in_cycle());
  EXPECT_FALSE(guard.hangs(start + CycleGuard::kHung));
  EXPECT_TRUE(guard.hangs(late));
  guard.ends();
  EXPECT_FALSE(guard.hangs(late));
}

}  // namespace
}  // namespace muster::serve
