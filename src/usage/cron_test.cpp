// The times of cron schedules, and schedules that are refused.
#include "usage/cron.hpp"

#include <gtest/gtest.h>

namespace muster {
namespace {

std::string last(const char* line, const char* t) {
  return format_time(CronSchedule::parse(line)->last(*parse_time(t)));
}
std::string next(const char* line, const char* t) {
  return format_time(CronSchedule::parse(line)->next(*parse_time(t)));
}
std::string refused(const char* line) {
  const auto schedule = CronSchedule::parse(line);
  return schedule ? "" : schedule.error().message;
}

struct Moment {
  const char *line, *now, *last, *next;
};

// 2025-06-01 is a Sunday.
TEST(Cron, FindsTheTimesAroundNow) {
  for (const Moment& m : std::vector<Moment>{
           {"* * * * *", "2025-06-01T12:00:30Z", "2025-06-01T12:00:00Z", "2025-06-01T12:01:00Z"},
           {"0 * * * *", "2025-06-01T12:00:00Z", "2025-06-01T12:00:00Z", "2025-06-01T13:00:00Z"},
           {"@hourly", "2025-06-01T12:59:59Z", "2025-06-01T12:00:00Z", "2025-06-01T13:00:00Z"},
           {"30 2 * * *", "2025-06-01T02:29:59Z", "2025-05-31T02:30:00Z", "2025-06-01T02:30:00Z"},
           {"@daily", "2025-01-01T00:00:00Z", "2025-01-01T00:00:00Z", "2025-01-02T00:00:00Z"},
           {"0 0 * * 1", "2025-06-01T12:00:00Z", "2025-05-26T00:00:00Z", "2025-06-02T00:00:00Z"},
           {"0 0 * * MON", "2025-06-02T00:00:00Z", "2025-06-02T00:00:00Z", "2025-06-09T00:00:00Z"},
           {"0 9 * * mon-fri", "2025-06-01T12:00:00Z", "2025-05-30T09:00:00Z", "2025-06-02T09:00:00Z"},
           {"0 0 * * 7", "2025-06-03T12:00:00Z", "2025-06-01T00:00:00Z", "2025-06-08T00:00:00Z"},
           {"0 0 * * 5-7", "2025-06-01T12:00:00Z", "2025-06-01T00:00:00Z", "2025-06-06T00:00:00Z"},
           {"@monthly", "2025-06-30T23:59:59Z", "2025-06-01T00:00:00Z", "2025-07-01T00:00:00Z"},
           {"0 0 31 * *", "2025-06-30T00:00:00Z", "2025-05-31T00:00:00Z", "2025-07-31T00:00:00Z"},
           {"0 0 1 jan,jul *", "2025-06-30T00:00:00Z", "2025-01-01T00:00:00Z", "2025-07-01T00:00:00Z"},
           {"*/20 6-7 * * *", "2025-06-01T07:39:00Z", "2025-06-01T07:20:00Z", "2025-06-01T07:40:00Z"},
           {"50/5 0 * * *", "2025-06-01T12:00:00Z", "2025-06-01T00:55:00Z", "2025-06-02T00:50:00Z"},
           {"0 0 29 2 *", "2025-06-01T12:00:00Z", "2024-02-29T00:00:00Z", "2028-02-29T00:00:00Z"},
           {"@yearly", "2025-06-01T12:00:00Z", "2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z"}}) {
    EXPECT_EQ(last(m.line, m.now), m.last) << m.line;
    EXPECT_EQ(next(m.line, m.now), m.next) << m.line;
  }
}

TEST(Cron, ADayMatchesByMonthOrWeek) {
  EXPECT_EQ(next("0 0 13 * fri", "2025-06-01T12:00:00Z"), "2025-06-06T00:00:00Z");
  EXPECT_EQ(next("0 0 3 * fri", "2025-06-01T12:00:00Z"), "2025-06-03T00:00:00Z");
  EXPECT_EQ(next("0 0 */2 * fri", "2025-06-01T12:00:00Z"), "2025-06-13T00:00:00Z") << "a star restricts";
}

TEST(Cron, ReportsInvalidFields) {
  EXPECT_EQ(
      refused("0 0 * *"),
      "\"0 0 * *\" has 4 fields; a cron schedule has five: minute, hour, day of the month, month, day of "
      "the week");
  EXPECT_EQ(refused("60 * * * *"), "\"60\" is not a valid minute (0 to 59)");
  EXPECT_EQ(refused("0 5-3 * * *"), "\"5-3\" is not a valid hour (0 to 23)");
  EXPECT_EQ(refused("*/0 * * * *"), "\"*/0\" is not a valid minute (0 to 59)");
  EXPECT_EQ(refused("0 0 L * *"), "\"l\" is not a valid day of the month (1 to 31)");
  EXPECT_EQ(refused("0 0 1 foo *"), "\"foo\" is not a valid month (1 to 12)");
  EXPECT_EQ(refused("0 0 , * *"), "\"\" is not a valid day of the month (1 to 31)");
  EXPECT_EQ(refused("0 0 30 2 *"), "\"0 0 30 2 *\" never occurs");
  EXPECT_NE(refused("@often"), "");
  EXPECT_NE(refused(""), "");
}

}  // namespace
}  // namespace muster
