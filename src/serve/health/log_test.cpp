// Log lines: always a single line, whatever the message and the values contain.
#include "serve/health/log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace muster::serve {
namespace {

using testing::EndsWith;

constexpr const char* kHostile = "a\nerror: b\r\x1b]0;c\x07\x7f\u009b\u202e\u2028\xff";

template <class Use>
std::string written(bool json, const Use& use) {
  testing::internal::CaptureStderr();
  Log log(3, json);
  use(log);
  return testing::internal::GetCapturedStderr();
}

TEST(Log, QuotesValuesThatNeedIt) {
  const std::string line = written(false, [](Log& log) {
    log.info("bound", {{"pod", "default/a"}, {"why", "no room"}, {"said", "\"q\" \\ ="}, {"none", ""}});
  });
  EXPECT_THAT(
      line, EndsWith("Z info    bound pod=default/a why=\"no room\" said=\"\\\"q\\\" \\\\ =\" none=\"\"\n"));
}

TEST(Log, WritesOneLineForAnyText) {
  const std::string line = written(false, [](Log& log) {
    log.warning(std::string("annotation: ") + kHostile, {{"value", kHostile}, {"name", "x\x1b[2J"}});
  });
  constexpr const char* kShown = "a\\nerror: b\\r\\x1b]0;c\\x07\\x7f\\u009b\\u202e\\u2028\\xff";
  EXPECT_THAT(line, EndsWith(std::string("Z warning annotation: ") + kShown + " value=\"" + kShown +
                             "\" name=x\\x1b[2J\n"));
  EXPECT_EQ(std::ranges::count(line, '\n'), 1);
}

TEST(Log, SuppressesRepeatedWarnings) {
  const std::string line = written(false, [](Log& log) {
    for (int i = 0; i < 3; ++i) log.repeated_warning(kHostile, {{"value", kHostile}});
  });
  EXPECT_EQ(std::ranges::count(line, '\n'), 1) << line;
  EXPECT_EQ(line.find_first_of("\x1b\x07\x7f\r"), std::string::npos);
}

TEST(Log, KeepsValuesUnchangedInJson) {
  const std::string text = "a\nb\x1b\u202e";
  const std::string line = written(true, [&](Log& log) { log.info(text, {{"value", text}}); });
  EXPECT_EQ(std::ranges::count(line, '\n'), 1);
  const auto object = nlohmann::json::parse(line);
  EXPECT_EQ(object["message"], text);
  EXPECT_EQ(object["value"], text);
}

}  // namespace
}  // namespace muster::serve
