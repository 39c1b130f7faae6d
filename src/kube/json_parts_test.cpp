// Finding members and items in text that no parser accepts.
#include "kube/json_parts.hpp"

#include <gmock/gmock.h>

#include <string>

namespace muster::kube {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kPage =
    R"({"kind":"List" , "x":{"items":[0]},"metadata":{"continue":"a\"}b","resourceVersion":"7"},
        "items":[ {"a":[1,{"b":"]"}]}, 5,"t,\\" ,{}, [[]] ], "n":3})";

TEST(JsonParts, FindsMembersByTheirKey) {
  EXPECT_EQ(member_text(kPage, "kind"), R"("List")");
  EXPECT_EQ(member_text(kPage, "metadata"), R"({"continue":"a\"}b","resourceVersion":"7"})");
  EXPECT_EQ(member_text(kPage, "n"), "3");
  EXPECT_EQ(member_text(kPage, "List"), "");
  EXPECT_EQ(member_text(kPage, "a"), "");
  EXPECT_EQ(member_text("", "a"), "");
  EXPECT_EQ(member_text(R"({"a":1,"b":[2,)", "a"), "");
}

TEST(JsonParts, FindsTheItemsOfAList) {
  EXPECT_THAT(item_texts(member_text(kPage, "items")),
              ElementsAre(R"({"a":[1,{"b":"]"}]})", "5", R"("t,\\")", "{}", "[[]]"));
  EXPECT_THAT(item_texts("[]"), IsEmpty());
  EXPECT_THAT(item_texts(""), IsEmpty());
  EXPECT_THAT(item_texts("[1,2"), IsEmpty());
}

TEST(JsonParts, DepthDoesNotMatter) {
  const std::string deep = std::string(500'000, '[') + std::string(500'000, ']');
  EXPECT_EQ(member_text(R"({"a":)" + deep + R"(,"b":1})", "b"), "1");
}

}  // namespace
}  // namespace muster::kube
