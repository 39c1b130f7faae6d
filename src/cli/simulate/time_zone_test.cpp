// What clocks show where, also on the days when they are put forward and back.
#include "cli/simulate/time_zone.hpp"

#include <gtest/gtest.h>

namespace muster::cli {
namespace {

TimePoint at(const char* text) { return *parse_time(text); }

TEST(TimeZone, ShowsWhatClocksShow) {
  const auto berlin = TimeZone::find("Europe/Berlin"), kolkata = TimeZone::find("Asia/Kolkata");
  ASSERT_TRUE(berlin && kolkata);
  EXPECT_EQ(berlin->local(at("2025-06-01T12:00:00Z")), at("2025-06-01T14:00:00Z"));
  EXPECT_EQ(berlin->local(at("2025-01-01T12:00:00.5Z")), at("2025-01-01T13:00:00.5Z"));
  EXPECT_EQ(kolkata->instant(at("2025-06-01T12:00:00Z")), at("2025-06-01T06:30:00Z"));
  EXPECT_EQ(berlin->instant(at("2025-06-01T12:00:00Z")), at("2025-06-01T10:00:00Z"));
  EXPECT_EQ(TimeZone().local(at("2025-06-01T12:00:00Z")), at("2025-06-01T12:00:00Z"));
}

TEST(TimeZone, OfAnHourThatComesTwiceTheFirstIsMeant) {
  const auto berlin = TimeZone::find("Europe/Berlin");
  ASSERT_TRUE(berlin);
  EXPECT_EQ(berlin->instant(at("2025-10-26T02:30:00Z")), at("2025-10-26T00:30:00Z"));
}

TEST(TimeZone, AnHourThatIsLeftOutIsNoTimeOfTheDay) {
  const auto berlin = TimeZone::find("Europe/Berlin");
  ASSERT_TRUE(berlin);
  const TimePoint gap = at("2025-03-30T02:30:00Z");
  EXPECT_NE(berlin->local(berlin->instant(gap)), gap);
}

TEST(TimeZone, OthersAreNotKnown) {
  for (const char* name : {"", "Mars/Olympus", "../zoneinfo/UTC", "/etc/passwd", "Europe"})
    EXPECT_FALSE(TimeZone::find(name)) << name;
}

}  // namespace
}  // namespace muster::cli
