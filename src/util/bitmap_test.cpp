// Sizes around the word boundary, and random changes compared with a std::set.
#include "util/bitmap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <random>
#include <set>
#include <vector>

namespace muster {
namespace {

constexpr std::size_t kSizes[] = {0, 1, 2, 63, 64, 65, 127, 128, 129, 1'000};

Bitmap of(std::size_t size, std::initializer_list<std::size_t> members) {
  Bitmap b(size);
  for (const std::size_t i : members) b.set(i);
  return b;
}

std::vector<std::size_t> members(const Bitmap& b) {
  std::vector<std::size_t> out;
  b.for_each([&](std::size_t i) { out.push_back(i); });
  return out;
}

TEST(Bitmap, StartsEmptyAndFillsToItsSize) {
  for (const std::size_t size : kSizes) {
    Bitmap b(size);
    EXPECT_EQ(b.size(), size);
    EXPECT_EQ(members(b).size(), 0u);
    b.fill();
    EXPECT_EQ(members(b).size(), size);
    b.clear();
    EXPECT_EQ(b, Bitmap(size));
  }
}

TEST(Bitmap, SetsAndResetsOneAtATime) {
  Bitmap b(130);
  for (const std::size_t i : {0, 63, 64, 129}) {
    b.set(i);
    EXPECT_TRUE(b.test(i));
  }
  EXPECT_EQ(members(b).size(), 4u);
  EXPECT_FALSE(b.test(1));
  b.reset(64);
  b.reset(64);
  b.set(129, false);
  b.set(5, true);
  EXPECT_EQ(members(b), (std::vector<std::size_t>{0, 5, 63}));
}

TEST(Bitmap, IsEqualIfSizeAndMembersAre) {
  EXPECT_EQ(of(70, {1}), of(70, {1}));
  EXPECT_NE(of(70, {1}), of(70, {2}));
  EXPECT_NE(of(70, {1}), of(71, {1}));
  Bitmap filled(70), by_hand(70);
  filled.fill();
  for (std::size_t i = 0; i < 70; ++i) by_hand.set(i);
  EXPECT_EQ(filled, by_hand);
}

TEST(Bitmap, BehavesLikeASet) {
  std::mt19937 random(1);
  for (const std::size_t size : kSizes) {
    if (size == 0) continue;
    Bitmap b(size);
    std::set<std::size_t> twin;
    for (int step = 0; step < 500; ++step) {
      const std::size_t i = random() % size;
      const bool add = random() % 2 == 0;
      b.set(i, add);
      add ? (void)twin.insert(i) : (void)twin.erase(i);
    }
    EXPECT_TRUE(std::ranges::equal(members(b), twin));
  }
}

}  // namespace
}  // namespace muster
