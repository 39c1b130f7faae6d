// The start and end of windows, and the fading of shares.
#include "usage/window.hpp"

#include <gtest/gtest.h>

namespace muster {
namespace {

using namespace std::chrono_literals;

TimePoint at(const char* text) { return *parse_time(text); }

const TimePoint kNoon = at("2025-06-01T12:00:00Z");

UsageSettings tumbling(const char* start, Duration size) {
  return {.window_type = UsageWindow::kTumbling, .window_size = size, .tumbling_start = at(start)};
}
UsageSettings cron(const char* line) {
  return {.window_type = UsageWindow::kCron, .cron = *CronSchedule::parse(line)};
}
std::string begin(const UsageSettings& settings, TimePoint now = kNoon) {
  return format_time(window_at(settings, now).begin);
}

TEST(Window, SlidesWithNow) {
  const UsageSettings week;
  EXPECT_EQ(begin(week), "2025-05-25T12:00:00Z");
  EXPECT_EQ(next_reset(week, kNoon), std::nullopt);
}

TEST(Window, TumblesFromItsStart) {
  const auto daily = tumbling("2025-05-30T09:00:00Z", 24h);
  EXPECT_EQ(begin(daily), "2025-06-01T09:00:00Z");
  EXPECT_EQ(next_reset(daily, kNoon), at("2025-06-02T09:00:00Z"));
  EXPECT_EQ(begin(daily, at("2025-06-02T09:00:00Z")), "2025-06-02T09:00:00Z") << "a new window has begun";
}

TEST(Window, IsEmptyBeforeItsStart) {
  const auto later = tumbling("2025-06-01T12:00:01Z", 1h);
  EXPECT_TRUE(window_at(later, kNoon).is_empty());
  EXPECT_EQ(next_reset(later, kNoon), at("2025-06-01T12:00:01Z"));
}

TEST(Window, MayHaveBegunCenturiesAgo) {
  EXPECT_EQ(begin(tumbling("1678-01-01T00:00:00Z", 24h)), "2025-06-01T00:00:00Z");
}

TEST(Window, FollowsACronLine) {
  EXPECT_EQ(begin(cron("0 0 * * mon")), "2025-05-26T00:00:00Z");
  EXPECT_EQ(next_reset(cron("0 0 * * mon"), kNoon), at("2025-06-02T00:00:00Z"));
}

TEST(Decay, IsOneHalfAfterAHalfLife) {
  const UsageSettings s{.half_life = 10min};
  EXPECT_EQ(decayed(s, 0s), 1);
  EXPECT_EQ(decayed(s, 10min), 0.5);
  EXPECT_EQ(decayed(s, 30min), 0.125);
  EXPECT_EQ(decayed({}, 1000h), 1) << "without a half life, nothing decays";
}

UsageSettings fading() { return {.window_size = 1h, .fetch_interval = 1min, .staleness = 5min}; }

TEST(LeftOfShare, IsTheWholeShareUntilStale) {
  EXPECT_EQ(remaining_share(fading(), kNoon, kNoon + 5min), 1);
  EXPECT_EQ(remaining_share(fading(), kNoon, kNoon - 1h), 1) << "the clock was set back";
  UsageSettings impatient = fading();
  impatient.staleness = 1s;
  EXPECT_EQ(remaining_share(impatient, kNoon, kNoon + 1min), 1) << "the next value is not yet due";
}

TEST(LeftOfShare, SlidesOutOfTheWindow) {
  EXPECT_DOUBLE_EQ(remaining_share(fading(), kNoon, kNoon + 35min), 0.5);
  EXPECT_EQ(remaining_share(fading(), kNoon, kNoon + 65min), 0);
  EXPECT_EQ(remaining_share(fading(), kNoon, kNoon + 24h), 0);
}

TEST(LeftOfShare, FollowsTheHalfLife) {
  UsageSettings s = fading();
  s.half_life = 10min;
  EXPECT_DOUBLE_EQ(remaining_share(s, kNoon, kNoon + 15min), 0.5);
  EXPECT_DOUBLE_EQ(remaining_share(s, kNoon, kNoon + 25min), 0.25);
  EXPECT_EQ(remaining_share(s, kNoon, kNoon + 65min), 0) << "the window is over";
}

TEST(LeftOfShare, IsZeroInTheNextWindow) {
  UsageSettings daily = tumbling("2025-06-01T00:00:00Z", 24h);
  EXPECT_EQ(remaining_share(daily, kNoon, at("2025-06-02T00:00:00Z")), 0);
  EXPECT_DOUBLE_EQ(remaining_share(daily, kNoon, kNoon + 6h + 5min), 12.0 / 18);
  EXPECT_EQ(remaining_share(cron("0 13 * * *"), kNoon + 59min, kNoon + 1h), 0);
}

TEST(LeftOfShare, NeverFadesIfExactlyLikeKai) {
  UsageSettings s = fading();
  s.fades_when_stale = false;
  EXPECT_EQ(remaining_share(s, kNoon, kNoon + 24h), 1);
}

}  // namespace
}  // namespace muster
