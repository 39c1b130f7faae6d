// Checks muster's own history against numbers worked out by hand.
#include "usage/history.hpp"

#include <gmock/gmock.h>

namespace muster {
namespace {

using namespace std::chrono_literals;
using testing::DoubleNear;

const TimePoint kBegin = *parse_time("2025-06-01T12:00:00Z");
constexpr UsageAmounts kCapacity = {0, 0, 8};
constexpr int kGpus = 2;

class HistoryTest : public testing::Test {
 protected:
  // Queue "a" holds this many of eight GPUs, between these minutes after noon.
  void holds(double gpus, int from, int to) {
    history.add(minute(from), minute(to), {{"a", {0, 0, gpus}}}, kCapacity);
  }
  double share(int now, const char* queue = "a") {
    const QueueUsage shares = history.shares(minute(now));
    const auto found = shares.find(queue);
    return found == shares.end() ? 0 : found->second[kGpus];
  }
  static TimePoint minute(int n) { return kBegin + std::chrono::minutes(n); }
  std::string refused(const std::string& text) {
    const auto restored = history.restore(text);
    return restored ? "" : restored.error().message;
  }

  UsageSettings settings{.window_size = 64min};
  UsageHistory history{settings};
};

TEST_F(HistoryTest, ReportsTheShareOfTheCapacity) {
  holds(4, 0, 10);
  EXPECT_DOUBLE_EQ(share(10), 0.5);
  holds(0, 10, 20);
  EXPECT_DOUBLE_EQ(share(20), 0.25);
  EXPECT_EQ(share(20, "b"), 0);
}

TEST_F(HistoryTest, DoesNotDependOnTheIntervals) {
  UsageHistory once(settings);
  once.add(minute(0), minute(30), {{"a", {0, 0, 3}}}, kCapacity);
  for (int i = 0; i < 30; ++i) holds(3, i, i + 1);
  EXPECT_NEAR(share(30), once.shares(minute(30))["a"][kGpus], 1e-12);
}

// The window of 64 minutes has buckets of two minutes. At minute 80 the first 16 minutes have left it.
TEST_F(HistoryTest, ForgetsWhatIsOlderThanTheWindow) {
  holds(8, 0, 32);
  holds(0, 32, 80);
  EXPECT_DOUBLE_EQ(share(80), 16.0 / 64);
  EXPECT_DOUBLE_EQ(share(96), 0);
  EXPECT_DOUBLE_EQ(share(500), 0);
}

TEST_F(HistoryTest, CountsThePartOfABucketInsideTheWindow) {
  holds(8, 0, 2);
  holds(0, 2, 65);
  EXPECT_DOUBLE_EQ(share(65), 1.0 / 64);
}

// The queue gave everything up one half life ago, after holding it for one half life. Its use is 8·h/ln2·½ of
// a capacity of 8·h/ln2·(1 − ¼): (1−½)·½
// (1−¼) = 1/3.
TEST_F(HistoryTest, DecaysExactly) {
  settings.half_life = 10min;
  holds(8, 0, 10);
  holds(0, 10, 20);
  EXPECT_THAT(share(20), DoubleNear(1.0 / 3, 1e-12));
}

// As above, but nothing was recorded in between: use and capacity of that time are unknown.
TEST_F(HistoryTest, IgnoresTimeThatWasNotRecorded) {
  settings.half_life = 10min;
  holds(8, 0, 10);
  EXPECT_THAT(share(20), DoubleNear(1, 1e-12));
}

TEST_F(HistoryTest, RestartsWithATumblingWindow) {
  settings.window_type = UsageWindow::kTumbling;
  settings.tumbling_start = kBegin;
  holds(8, 0, 32);
  holds(0, 32, 63);
  EXPECT_DOUBLE_EQ(share(63), 32.0 / 63);
  EXPECT_DOUBLE_EQ(share(64), 0);
  holds(2, 63, 66);
  EXPECT_DOUBLE_EQ(share(66), 0.25) << "the new window is two minutes old";
}

TEST_F(HistoryTest, RestartsAtTheTimesOfTheCronSchedule) {
  settings.window_type = UsageWindow::kCron;
  settings.cron = *CronSchedule::parse("0 13 * * *");
  holds(8, 0, 59);
  EXPECT_DOUBLE_EQ(share(59), 1);
  EXPECT_DOUBLE_EQ(share(60), 0);
}

TEST_F(HistoryTest, StaysFiniteWithALongWindowAndAShortHalfLife) {
  settings = {.window_type = UsageWindow::kTumbling,
              .window_size = std::chrono::days(3650),
              .half_life = 1s,
              .tumbling_start = kBegin};
  for (int i = 0; i < 1000; i += 100) holds(4, i, i + 100);
  EXPECT_DOUBLE_EQ(share(1000), 0.5);
}

TEST_F(HistoryTest, ToleratesAClockThatIsSetBack) {
  settings.half_life = 10min;
  holds(8, 100, 110);
  holds(0, 110, 10);
  holds(0, 10, 20);
  EXPECT_EQ(share(20), 0) << "future time does not count";
}

TEST_F(HistoryTest, SurvivesConversionToText) {
  settings.half_life = 10min;
  holds(8, 0, 10);
  holds(3, 10, 20);
  history.add(minute(20), minute(30), {{"b\xff", {1, 2, 3}}}, kCapacity);
  const double before = share(30);
  UsageHistory other(settings);
  ASSERT_TRUE(other.restore(history.text()));
  EXPECT_NEAR(other.shares(minute(30))["a"][kGpus], before, 1e-5);
  EXPECT_EQ(other.text(), history.text());
}

TEST_F(HistoryTest, TextOfManyQueuesFitsIntoAConfigMap) {
  QueueUsage held;
  for (int i = 0; i < 700; ++i)
    held["team-of-somebody-" + std::to_string(i)] = {12345.678, 9.87654321e11, 3.3};
  for (int i = 0; i < 64; ++i) history.add(minute(i), minute(i + 1), held, {1, 1, 1});
  EXPECT_LT(history.text().size(), 1'000'000U);
}

TEST_F(HistoryTest, RefusesDamagedOrForeignText) {
  holds(8, 0, 10);
  const std::string good = history.text();
  const auto with = [&](std::string from, std::string to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  EXPECT_EQ(refused(good), "");
  for (const std::string& foreign :
       {std::string(), std::string("team-a: 3"), std::string("{}"), good.substr(0, 50)})
    EXPECT_EQ(refused(foreign), "it is damaged (not written by muster) and is ignored") << foreign;
  EXPECT_EQ(refused(with("\"version\":1", "\"version\":2")),
            "it is damaged (unknown version) and is ignored");
  EXPECT_EQ(refused(with("\"queues\"", "\"others\"")), "it is damaged (no queues) and is ignored");
  EXPECT_EQ(refused(with("\"buckets\"", "\"others\"")), "it is damaged (no buckets) and is ignored");
  EXPECT_EQ(refused(with("T12:02:00Z", "T12:02:01Z")), "it is damaged (a bucket) and is ignored");
  EXPECT_EQ(refused(with("960.0", "-1")), "it is damaged (a bucket) and is ignored");
  EXPECT_EQ(refused(with("[0,0.0", "[99,0.0")), "it is damaged (queue a) and is ignored");
  EXPECT_EQ(refused(with("[0,0.0", "[0,\"x\"")), "it is damaged (queue a) and is ignored");
  EXPECT_EQ(
      refused(with("half life 0s", "half life 1h0m0s")),
      "it was recorded under other settings (sliding 1h4m0s, half life 1h0m0s; now sliding 1h4m0s, half "
      "life 0s) and is ignored");
  EXPECT_EQ(history.text(), good) << "it is unchanged";
}

}  // namespace
}  // namespace muster
