// Invalid bytes from outside never cause an exception.
#include "kube/json_text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace muster::kube {
namespace {

TEST(JsonText, ReplacesInvalidUtf8) {
  const nlohmann::json value = {{"name", "a\xff\x80z"}};
  EXPECT_EQ(json_text(value), "{\"name\":\"a\xEF\xBF\xBD\xEF\xBF\xBDz\"}");
  const nlohmann::ordered_json cut = {{"\xC3", "\xE2\x82"}};
  EXPECT_EQ(json_text(cut), "{\"\xEF\xBF\xBD\":\"\xEF\xBF\xBD\"}");
}

TEST(JsonText, KeepsValidText) {
  const nlohmann::ordered_json value = {{"b", "\xE2\x82\xAC"}, {"a", {1, nullptr}}};
  EXPECT_EQ(json_text(value), "{\"b\":\"\xE2\x82\xAC\",\"a\":[1,null]}");
  EXPECT_EQ(json_text(nlohmann::json{{"a", 1}}, 2), "{\n  \"a\": 1\n}");
}

}  // namespace
}  // namespace muster::kube
