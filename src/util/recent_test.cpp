// The entries used last are kept, and the number of others is bounded.
#include "util/recent.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace muster {
namespace {

TEST(Recent, KeysThatNeverComeBackDoNotPileUp) {
  Recent<int> recent(10);
  for (int i = 0; i < 1000; ++i) {
    recent.put(std::to_string(i), i);
    EXPECT_LE(recent.size(), 20U);
  }
}

TEST(Recent, KeepsTheLastEntries) {
  Recent<int> recent(10);
  for (int i = 0; i < 1000; ++i) {
    recent.put(std::to_string(i), i);
    for (int last = std::max(0, i - 9); last <= i; ++last) {
      const int* known = recent.peek(std::to_string(last));
      ASSERT_NE(known, nullptr) << last << " after " << i;
      EXPECT_EQ(*known, last);
    }
  }
}

TEST(Recent, KeepsEntriesInUse) {
  Recent<int> recent(10);
  recent.put("flood", 7);
  for (int i = 0; i < 1000; ++i) {
    recent.put(std::to_string(i), i);
    if (i % 5 == 0) {
      ASSERT_NE(recent.find("flood"), nullptr) << i;
    }
    EXPECT_LE(recent.size(), 20U);
  }
  EXPECT_EQ(*recent.find("flood"), 7);
}

TEST(Recent, PeekDoesNotCountAsUse) {
  Recent<int> recent(10);
  recent.put("seen", 7);
  for (int i = 0; i < 20; ++i) {
    recent.put(std::to_string(i), i);
    recent.peek("seen");
  }
  EXPECT_EQ(recent.peek("seen"), nullptr);
}

TEST(Recent, PutReplacesTheValue) {
  Recent<int> recent(2);
  recent.put("a", 1);
  recent.forget_unused();
  recent.put("a", 2);
  EXPECT_EQ(*recent.find("a"), 2);
  EXPECT_EQ(recent.size(), 1U);
}

TEST(Recent, DropsEntriesNotUsedBetweenTwoCalls) {
  Recent<int> recent(10);
  recent.put("a", 1);
  recent.put("b", 2);
  recent.forget_unused();
  EXPECT_NE(recent.find("a"), nullptr);
  recent.forget_unused();
  EXPECT_NE(recent.peek("a"), nullptr);
  EXPECT_EQ(recent.peek("b"), nullptr);
}

TEST(Recent, EraseRemovesTheEntry) {
  Recent<int> recent(1);
  recent.put("a", 1);
  recent.put("b", 2);
  recent.erase("a");
  recent.erase("b");
  EXPECT_EQ(recent.size(), 0U);
}

}  // namespace
}  // namespace muster
