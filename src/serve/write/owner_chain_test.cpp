// Where following owner references ends.
#include "serve/write/owner_chain.hpp"

#include <gtest/gtest.h>

namespace muster::serve {
namespace {

nlohmann::json reference(const std::string& uid) { return {{"uid", uid}, {"name", "x"}}; }

TEST(OwnerChain, EndsAtACycle) {
  OwnerChain chain;
  EXPECT_TRUE(chain.follows(reference("a")));
  EXPECT_TRUE(chain.follows(reference("b")));
  EXPECT_FALSE(chain.follows(reference("a")));
}

TEST(OwnerChain, EndsAtAnInvalidReference) {
  OwnerChain chain;
  EXPECT_FALSE(chain.follows(nullptr));
  EXPECT_FALSE(chain.follows("a"));
  EXPECT_TRUE(chain.follows(nlohmann::json::object()));
  EXPECT_FALSE(chain.follows(nlohmann::json::object()));
}

TEST(OwnerChain, EndsAfterSixteenOwners) {
  OwnerChain chain;
  for (int i = 0; i < 16; ++i) EXPECT_TRUE(chain.follows(reference(std::to_string(i))));
  EXPECT_FALSE(chain.follows(reference("16")));
}

}  // namespace
}  // namespace muster::serve
