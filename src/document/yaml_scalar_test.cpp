// Plain scalars of YAML 1.1 and the JSON they become.
#include "document/yaml_scalar.hpp"

#include <gtest/gtest.h>

namespace muster {
namespace {

struct ScalarCase {
  const char* text;
  const char* json;
};

TEST(PlainScalar, FollowsYaml11) {
  const ScalarCase cases[] = {
      {"", "null"},
      {"~", "null"},
      {"null", "null"},
      {"Null", "null"},
      {"nULL", "\"nULL\""},
      {"true", "true"},
      {"Yes", "true"},
      {"ON", "true"},
      {"oN", "\"oN\""},
      {"no", "false"},
      {"Off", "false"},
      {"y", "\"y\""},
      {"0", "0"},
      {"-0", "0"},
      {"+12", "12"},
      {"-12", "-12"},
      {"1_000", "1000"},
      {"010", "8"},
      {"0o17", "15"},
      {"0x1F", "31"},
      {"-0x1F", "-31"},
      {"0b101", "5"},
      {"08", "8"},
      {"18446744073709551615", "18446744073709551615"},
      {"18446744073709551616", "1.8446744073709552e+19"},
      {"-9223372036854775809", "-9.223372036854776e+18"},
      {"0.50", "0.5"},
      {".5", "0.5"},
      {"1.", "1"},
      {"+1.5e3", "1500"},
      {"1e400", "\"1e400\""},
      {".inf", "\".inf\""},
      {"1.2.3", "\"1.2.3\""},
      {"1Gi", "\"1Gi\""},
      {"-", "\"-\""},
      {"+_", "\"+_\""},
      {".", "\".\""},
      {"1e", "\"1e\""},
      {"2025-06-01T12:00:00Z", "\"2025-06-01T12:00:00Z\""},
      {"say \"hi\\\"\t", "\"say \\\"hi\\\\\\\"\\u0009\""},
  };
  for (const auto& [text, json] : cases) {
    std::string got;
    append_plain_scalar(got, text);
    EXPECT_EQ(got, json) << "of " << text;
  }
}

}  // namespace
}  // namespace muster
