// Local times of time zones, including the days on which clocks change.
#include "sim/time_zone.hpp"

#include <gtest/gtest.h>

namespace muster {
namespace {

TimePoint at(const char* text) { return *parse_time(text); }

TEST(TimeZone, ConvertsBetweenUtcAndLocalTime) {
  const auto berlin = TimeZone::find("Europe/Berlin"), kolkata = TimeZone::find("Asia/Kolkata");
  ASSERT_TRUE(berlin && kolkata);
  EXPECT_EQ(berlin->local(at("2025-06-01T12:00:00Z")), at("2025-06-01T14:00:00Z"));
  EXPECT_EQ(berlin->local(at("2025-01-01T12:00:00.5Z")), at("2025-01-01T13:00:00.5Z"));
  EXPECT_EQ(kolkata->utc(at("2025-06-01T12:00:00Z")), at("2025-06-01T06:30:00Z"));
  EXPECT_EQ(berlin->utc(at("2025-06-01T12:00:00Z")), at("2025-06-01T10:00:00Z"));
  EXPECT_EQ(TimeZone().local(at("2025-06-01T12:00:00Z")), at("2025-06-01T12:00:00Z"));
}

TEST(TimeZone, ARepeatedHourMeansItsFirstOccurrence) {
  const auto berlin = TimeZone::find("Europe/Berlin");
  ASSERT_TRUE(berlin);
  EXPECT_EQ(berlin->utc(at("2025-10-26T02:30:00Z")), at("2025-10-26T00:30:00Z"));
}

TEST(TimeZone, ASkippedHourDoesNotConvertBack) {
  const auto berlin = TimeZone::find("Europe/Berlin");
  ASSERT_TRUE(berlin);
  const TimePoint gap = at("2025-03-30T02:30:00Z");
  EXPECT_NE(berlin->local(berlin->utc(gap)), gap);
}

TEST(TimeZone, InvalidNamesAreNotFound) {
  for (const char* name : {"", "Mars/Olympus", "../zoneinfo/UTC", "/etc/passwd", "Europe"})
    EXPECT_FALSE(TimeZone::find(name)) << name;
}

}  // namespace
}  // namespace muster
