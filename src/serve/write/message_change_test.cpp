// Which changes of a message are worth another write.
#include "serve/write/message_change.hpp"

#include <gtest/gtest.h>

namespace muster::serve {
namespace {

TEST(MessageChange, IgnoresNumbers) {
  EXPECT_TRUE(differ_in_numbers_only("5 nodes: at most 2.5 free", "12 nodes: at most 3 free"));
  EXPECT_TRUE(differ_in_numbers_only("", ""));
  EXPECT_TRUE(differ_in_numbers_only("4 GPUs", "4 GPUs"));
}

TEST(MessageChange, ComparesWords) {
  EXPECT_FALSE(differ_in_numbers_only("5 nodes: cordoned", "5 nodes: not ready"));
  EXPECT_FALSE(differ_in_numbers_only("4 GPUs", "4 GPUs: none free"));
  EXPECT_FALSE(differ_in_numbers_only("4 GPUs: none free", "4 GPUs"));
  EXPECT_FALSE(differ_in_numbers_only("at most 2 free", "none free"));
}

}  // namespace
}  // namespace muster::serve
