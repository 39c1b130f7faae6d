#include "kube/base64.hpp"

#include <gtest/gtest.h>

namespace muster::kube {
namespace {

TEST(Base64, Decodes) {
  EXPECT_EQ(decode_base64(""), "");
  EXPECT_EQ(decode_base64("Zg=="), "f");
  EXPECT_EQ(decode_base64("Zm8="), "fo");
  EXPECT_EQ(decode_base64("Zm9v"), "foo");
  EXPECT_EQ(decode_base64("Zm9v\nYmFy"), "foobar");
  EXPECT_EQ(decode_base64("//79+A=="), "\xff\xfe\xfd\xf8");
}

TEST(Base64, RefusesWhatIsNone) {
  EXPECT_FALSE(decode_base64("Zm9"));
  EXPECT_FALSE(decode_base64("Zm9v!"));
  EXPECT_FALSE(decode_base64("Z==="));
  EXPECT_FALSE(decode_base64("=Zm9"));
}

}  // namespace
}  // namespace muster::kube
