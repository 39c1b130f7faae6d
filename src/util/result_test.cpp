// Values and errors in a Result, and the text of an Error.
#include "util/result.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace muster {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return Error{"odd", {}};
  return n / 2;
}

Result<void> require_even(int n) {
  const auto result = half(n);
  if (!result) return result.error();
  return {};
}

TEST(Result, ContainsAValueOrAnError) {
  const auto good = half(6);
  ASSERT_TRUE(good);
  EXPECT_EQ(*good, 3);
  EXPECT_EQ(good.value(), 3);

  const auto bad = half(7);
  ASSERT_FALSE(bad);
  EXPECT_FALSE(bad.has_value());
  EXPECT_EQ(bad.error().message, "odd");
}

TEST(Result, OfVoid) {
  EXPECT_TRUE(require_even(2));
  ASSERT_FALSE(require_even(3));
  EXPECT_EQ(require_even(3).error().message, "odd");
}

TEST(Result, ConvertsLikeItsValue) {
  const Result<std::string> text = "abc";
  EXPECT_EQ(text->size(), 3u);
  const Result<std::shared_ptr<const int>> shared = std::make_shared<int>(4);
  EXPECT_EQ(**shared, 4);
  const Result<std::vector<int>> list = {{1, 2, 3}};
  EXPECT_EQ(list->size(), 3u);
  // A string is a value, not a message.
  EXPECT_TRUE(Result<std::string>(std::string("x")));
}

TEST(Result, CanBeMovedFrom) {
  const auto make = []() -> Result<std::unique_ptr<int>> { return std::make_unique<int>(5); };
  const std::unique_ptr<int> taken = *make();
  EXPECT_EQ(*taken, 5);

  Result<int> failure = Error{"no unit", {}};
  failure.error().where.path = "spec.quota";
  const Error error = std::move(failure).error();
  EXPECT_EQ(error.text(), "spec.quota: no unit");
}

TEST(Result, CanBeCopiedAssignedAndChanged) {
  Result<std::vector<int>> list = std::vector{1};
  list->push_back(2);
  const auto copy = list;
  list = Error{"gone", {}};
  EXPECT_FALSE(list);
  EXPECT_EQ(*copy, (std::vector{1, 2}));
  list = std::vector{7};
  EXPECT_EQ(list.value().front(), 7);
}

TEST(Error, OmitsEmptyParts) {
  const struct {
    Error error;
    const char* text;
  } cases[] = {
      {{"\"10\" has no unit", {"queues.yaml", 14, "Queue team-a", "spec.reclaimMinRuntime"}},
       "queues.yaml:14: Queue team-a: spec.reclaimMinRuntime: \"10\" has no unit"},
      {{"bad", {}}, "bad"},
      {{"bad", {"a.json", 0, "", ""}}, "a.json: bad"},
      {{"bad", {"a.yaml", 3, "", ""}}, "a.yaml:3: bad"},
      {{"bad", {"", 3, "", ""}}, "line 3: bad"},
      {{"bad", {"", 0, "Pod ns/name", ""}}, "Pod ns/name: bad"},
      {{"bad", {"", 0, "", "spec.x"}}, "spec.x: bad"},
      {{"bad", {"a.json", 0, "", "spec.x"}}, "a.json: spec.x: bad"},
      {{"", {"a.json", 0, "", ""}}, "a.json"},
      {{"", {}}, ""},
  };
  for (const auto& c : cases) EXPECT_EQ(c.error.text(), c.text);
}

}  // namespace
}  // namespace muster
