// Decoding of the key sequences that terminals send.
#include "cli/top/screen.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace muster::cli {
namespace {

std::vector<Key> keys_in(std::string bytes) {
  std::vector<Key> keys;
  while (!bytes.empty()) keys.push_back(take_key(bytes));
  return keys;
}

TEST(Screen, KnowsKeys) {
  EXPECT_EQ(keys_in("\x1b[A\x1bOB\rqx"),
            (std::vector{Key::kUp, Key::kDown, Key::kEnter, Key::kQuit, Key::kOther}));
  EXPECT_EQ(keys_in("\x1b"), std::vector{Key::kBack});
  std::string nothing;
  EXPECT_EQ(take_key(nothing), Key::kNone);
}

}  // namespace
}  // namespace muster::cli
