// How the answers of several plugins are combined.
#include "engine/cycle/hook_kinds.hpp"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(RankHook, EarlierPluginsTakePrecedence) {
  RankHook<int, int> rank;
  EXPECT_EQ(rank(1, 2), 0U) << "no plugin has an opinion";
  rank.add(32, [](int x, int) { return static_cast<std::uint64_t>(x); });
  rank.add(2, [](int, int y) { return static_cast<std::uint64_t>(y); });
  EXPECT_LT(rank(1, 3), rank(2, 0));
  EXPECT_LT(rank(2, 0), rank(2, 1));
  EXPECT_EQ(rank(5, 1), rank(5, 1));
}

TEST(RankHook, TooManyBitsAreAStartupError) {
  RankHook<> rank;
  rank.add(62, [] { return std::uint64_t{1}; });
  EXPECT_NO_THROW(rank.add(2, [] { return std::uint64_t{0}; }));
  EXPECT_THROW(rank.add(1, [] { return std::uint64_t{0}; }), std::logic_error);
}

}  // namespace
}  // namespace muster
