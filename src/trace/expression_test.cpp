// The results of expressions over columns, and the messages about mistakes in them.
#include "trace/expression.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace muster::trace {
namespace {

const std::map<std::string, std::string, std::less<>> kRow = {{"a", "6"},
                                                              {"b", "4"},
                                                              {"half", "0.5"},
                                                              {"empty", ""},
                                                              {"nothing", "nan"},
                                                              {"name", "x"},
                                                              {"zero", "0"},
                                                              {"hour", "1h"},
                                                              {"number of GPUs", "8"},
                                                              {"job.gpus", "3"},
                                                              {"from", "2017-10-07 01:12:09"},
                                                              {"to", "2017-10-07T01:13:23Z"},
                                                              {"huge", "1e300"}};

// The value of the first assignment in `text`, or the message.
std::string value_of(const std::string& text) {
  const auto parsed = parse_assignments("v=" + text);
  if (!parsed) return parsed.error().message;
  const Expression& expression = parsed->front().expression;
  std::vector<std::string_view> values;
  for (const std::string& column : expression.columns()) values.push_back(kRow.at(column));
  const auto value = expression.of(values);
  if (!value) return value.error().message;
  switch (value->type) {
    case Value::Type::kMissing:
      return "missing";
    case Value::Type::kText:
      return "text " + std::string(value->text);
    case Value::Type::kInstant:
      return fmt::format("instant {}", value->number);
    default:
      return fmt::format("{}", value->number);
  }
}

TEST(Expression, Computes) {
  EXPECT_EQ(value_of("a+b*2"), "14");
  EXPECT_EQ(value_of("(a+b)*2"), "20");
  EXPECT_EQ(value_of("a-b-1"), "1");
  EXPECT_EQ(value_of("a/b/half"), "3");
  EXPECT_EQ(value_of("-a + 10"), "4");
  EXPECT_EQ(value_of("a--b"), "10");
  EXPECT_EQ(value_of("1.5e1 * .5"), "7.5");
  EXPECT_EQ(value_of("ceil(a/b)"), "2");
  EXPECT_EQ(value_of("floor(a/b) + min(a, b) + max(a, 1)"), "11");
}

TEST(Expression, AColumnAloneKeepsItsText) {
  EXPECT_EQ(value_of("name"), "text x");
  EXPECT_EQ(value_of("a"), "text 6");
  EXPECT_EQ(value_of("nothing"), "text nan");
  EXPECT_EQ(value_of("(a)"), "text 6");
}

TEST(Expression, QuotesAllowAnyColumnName) {
  EXPECT_EQ(value_of("\"number of GPUs\"*2"), "16");
  EXPECT_EQ(value_of("`number of GPUs`*2"), "16");
  EXPECT_EQ(value_of("job.gpus+1"), "4");
}

TEST(Expression, AMissingOperandMakesTheResultMissing) {
  EXPECT_EQ(value_of("empty"), "missing");
  EXPECT_EQ(value_of("a+empty"), "missing");
  EXPECT_EQ(value_of("a*nothing"), "missing");
}

TEST(Expression, ComputesWithDurationsAndTimestamps) {
  EXPECT_EQ(value_of("hour/2"), "1800");
  EXPECT_EQ(value_of("to-from"), "74");
  EXPECT_EQ(value_of("from+hour"), "instant 1507342329");
  EXPECT_EQ(value_of("min(from, to)"), "instant 1507338729");
  EXPECT_EQ(value_of("to+from"), "cannot add two timestamps");
  EXPECT_EQ(value_of("a-from"), "cannot subtract a timestamp from a number");
  EXPECT_EQ(value_of("from*2"), "cannot multiply, divide or negate a timestamp");
  EXPECT_EQ(value_of("max(from, 1)"), "cannot compare a timestamp with a number");
}

TEST(Expression, ReportsWhatCannotBeComputed) {
  EXPECT_EQ(value_of("name*2"), "\"x\" in column name is not a number");
  EXPECT_EQ(value_of("a/zero"), "division by zero");
  EXPECT_EQ(value_of("huge*huge"), "the result is too large");
}

TEST(Expression, NamesThePositionOfAMistake) {
  EXPECT_EQ(value_of("a*"), "character 5, at the end: expected a column, a number or (");
  EXPECT_EQ(value_of("a**b"), "character 5, at \"*b\": expected a column, a number or (");
  EXPECT_EQ(value_of("(a"), "character 5, at the end: expected )");
  EXPECT_EQ(value_of("a b"), "character 5, at \"b\": expected a comma or an operator");
  EXPECT_EQ(value_of("a^2"), "character 4, at \"^2\": expected a comma or an operator");
  EXPECT_EQ(value_of("sqrt(a)"),
            "character 3, at \"sqrt(a)\": unknown function sqrt; the functions are ceil, floor, min and max");
  EXPECT_EQ(value_of("min(a)"), "character 8, at \")\": min requires two values");
  EXPECT_EQ(value_of("\"a"), "character 3, at \"\"a\": the quote is not closed");
  EXPECT_EQ(
      value_of("2x"),
      "character 4, at \"x\": not a valid number; put quotes around a column name that begins with a digit");
  EXPECT_EQ(value_of("1e999"), "character 3, at \"1e999\": not a valid number");
  EXPECT_EQ(value_of(std::string(100'000, '(')).substr(0, 14), "character 103,");
}

TEST(Assignments, AreReadInOrder) {
  const auto parsed = parse_assignments(" submit = creation_time , gpus=num_gpu*gpu_milli/1000,job=name, ");
  ASSERT_TRUE(parsed);
  std::string all;
  for (const Assignment& assignment : *parsed)
    all += fmt::format("{}={} at {}; ", assignment.name, assignment.expression.text(), assignment.position);
  EXPECT_EQ(all, "submit=creation_time at 2; gpus=num_gpu*gpu_milli/1000 at 27; job=name at 55; ");
}

TEST(Assignments, ReportTheMissingPart) {
  const auto mistake = [](const char* text) {
    const auto parsed = parse_assignments(text);
    return parsed ? "none" : parsed.error().message;
  };
  EXPECT_EQ(mistake(""), "character 1, at the end: expected an assignment such as gpus=num_gpu");
  EXPECT_EQ(mistake("gpus"), "character 5, at the end: gpus must be followed by =, as in gpus=num_gpu");
  EXPECT_EQ(mistake("=a"), "character 1, at \"=a\": expected a column name, as in gpus=num_gpu");
  EXPECT_EQ(mistake("a=b;c=d"), "character 4, at \";c=d\": expected a comma or an operator");
}

}  // namespace
}  // namespace muster::trace
