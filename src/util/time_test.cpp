// Timestamps and durations compared with the results of Go.
#include "util/time.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>

namespace muster {
namespace {

using namespace std::chrono_literals;
using std::chrono::days;
using std::chrono::weeks;

TimePoint at(std::int64_t seconds, std::int64_t nanoseconds = 0) {
  return TimePoint(std::chrono::sys_seconds(std::chrono::seconds(seconds))) + Duration(nanoseconds);
}

TEST(Time, ReadsRfc3339) {
  const struct {
    const char* text;
    TimePoint time;
  } cases[] = {
      {"1970-01-01T00:00:00Z", at(0)},
      {"2025-06-01T12:00:00Z", at(1748779200)},
      {"2025-06-01t12:00:00z", at(1748779200)},
      {"2025-06-01T14:00:00+02:00", at(1748779200)},
      {"2025-06-01T06:30:00-05:30", at(1748779200)},
      {"2025-06-01T12:00:00+00:00", at(1748779200)},
      {"2025-06-01T12:00:00-00:00", at(1748779200)},
      {"2025-06-02T11:59:00+23:59", at(1748779200)},
      {"2025-06-01T12:00:00.5Z", at(1748779200, 500'000'000)},
      {"2025-06-01T12:00:00.000000001Z", at(1748779200, 1)},
      {"2025-06-01T12:00:00.123456789+00:00", at(1748779200, 123'456'789)},
      {"2025-06-01T12:00:00.1234567899999Z", at(1748779200, 123'456'789)},  // cut, not rounded
      {"2024-02-29T00:00:00Z", at(1709164800)},
      {"2000-02-29T23:59:59Z", at(951868799)},
      {"1969-12-31T23:59:59Z", at(-1)},
      {"1969-12-31T23:59:59.75Z", at(-1, 750'000'000)},
      {"2262-04-11T23:47:16.854775807Z", TimePoint(Duration::max())},
      {"2262-04-11T23:47:16.854775808Z", TimePoint(Duration::max()) + 1ns},
      {"1677-09-21T00:12:43.145224192Z", TimePoint(Duration::min())},
      {"1677-09-21T00:12:43.145224191Z", TimePoint(Duration::min()) - 1ns},
      {"0000-01-01T00:00:00Z", at(-62167219200)},
      {"0001-01-01T00:00:00Z", at(-62135596800)},  // Go's zero time
      {"9999-12-31T23:59:59Z", at(253402300799)},
      {"9999-12-31T23:59:59.999999999Z", kLastTime},
  };
  for (const auto& c : cases) EXPECT_EQ(parse_time(c.text), c.time) << c.text;
}

TEST(Time, RefusesWhatIsNotRfc3339) {
  for (const char* text : {"",
                           "2025-06-01",
                           "2025-06-01T12:00:00",        // no offset
                           "2025-06-01T12:00Z",          // no seconds
                           "2025-06-01 12:00:00Z",       //
                           "2025-06-01T12:00:00Z ",      //
                           " 2025-06-01T12:00:00Z",      //
                           "2025-06-01T12:00:00ZZ",      //
                           "2025-06-01T12:00:00.Z",      //
                           "2025-06-01T12:00:00,5Z",     //
                           "2025-06-01T12:00:00+0200",   //
                           "2025-06-01T12:00:00+02",     //
                           "2025-06-01T12:00:00+24:00",  //
                           "2025-06-01T12:00:00+02:60",  //
                           "2025-06-01T24:00:00Z",       //
                           "2025-06-01T12:60:00Z",       //
                           "2025-06-01T23:59:60Z",       //
                           "2025-13-01T12:00:00Z",       //
                           "2025-00-01T12:00:00Z",       //
                           "2025-06-00T12:00:00Z",       //
                           "2025-06-31T12:00:00Z",       //
                           "2025-02-29T12:00:00Z",       //
                           "1900-02-29T12:00:00Z",       //
                           "25-06-01T12:00:00Z",         //
                           "2025-6-1T12:00:00Z",         //
                           "+025-06-01T12:00:00Z",       //
                           "2025/06/01T12:00:00Z",       //
                           "2025-06-01T12-00-00Z",       //
                           "10000-01-01T00:00:00Z",      //
                           "0000-01-01T00:00:00+00:01",  // before the first year
                           "9999-12-31T23:59:59-00:01"}) {
    EXPECT_EQ(parse_time(text), std::nullopt) << text;
  }
}

TEST(Time, IsWrittenInUtc) {
  EXPECT_EQ(format_time(at(1748779200)), "2025-06-01T12:00:00Z");
  EXPECT_EQ(format_time(at(1748779200, 500'000'000)), "2025-06-01T12:00:00.5Z");
  EXPECT_EQ(format_time(at(1748779200, 10)), "2025-06-01T12:00:00.00000001Z");
  EXPECT_EQ(format_time(at(-1, 750'000'000)), "1969-12-31T23:59:59.75Z");
  EXPECT_EQ(format_time(TimePoint(Duration::max())), "2262-04-11T23:47:16.854775807Z");
  EXPECT_EQ(format_time(TimePoint(Duration::min())), "1677-09-21T00:12:43.145224192Z");
  EXPECT_EQ(format_time(kLastTime), "9999-12-31T23:59:59.999999999Z");
  EXPECT_EQ(format_time(at(-62135596800)), "0001-01-01T00:00:00Z");
  EXPECT_EQ(format_clock(at(1748779200 + 271)), "12:04:31");
  EXPECT_EQ(format_clock(at(0)), "00:00:00");
  EXPECT_EQ(format_clock(at(-1, 999'999'999)), "23:59:59");
}

TEST(Time, IsReadBackAsWritten) {
  std::mt19937_64 random(1);
  std::uniform_int_distribution<std::int64_t> any_second(-62167219200, 253402300799),
      fraction(0, 999'999'999);
  for (int i = 0; i < 2'000; ++i) {
    const std::int64_t second = any_second(random);
    for (const TimePoint t : {at(second), at(second) + Duration(fraction(random))})
      EXPECT_EQ(parse_time(format_time(t)), t) << format_time(t);
  }
}

TEST(Time, AddsAndSubtractsDurations) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 2'000; ++i) {
    const TimePoint t(Duration(static_cast<std::int64_t>(random())));
    const Duration d(static_cast<std::int64_t>(random()) >> (random() % 64));
    EXPECT_EQ(t + d - d, t) << format_time(t) << " " << format_duration(d);
    EXPECT_EQ((t + d) - t, d) << format_time(t) << " " << format_duration(d);
    EXPECT_EQ(t + d > t, d > 0ns) << format_time(t) << " " << format_duration(d);
  }
  for (const Duration d : {Duration::min(), Duration::max(), -1ns, 1ns, -1'000'000'000ns, 999'999'999ns}) {
    EXPECT_EQ((at(7, 5) + d) - at(7, 5), d);
    EXPECT_EQ(at(7, 5) + d - d, at(7, 5));
  }
}

TEST(Time, ConvertsFromTheSystemClock) {
  using namespace std::chrono;
  EXPECT_EQ(TimePoint(sys_days(2025y / June / 1) + 12h), at(1748779200));
  EXPECT_EQ(TimePoint(sys_time<milliseconds>(-1ms)), at(-1, 999'000'000));
  EXPECT_EQ(at(-1, 999'000'000).time_since_epoch(), -1ms);
}

TEST(Time, DifferenceSaturatesAtTheRangeOfDuration) {
  EXPECT_EQ(kLastTime - at(0), Duration::max());
  EXPECT_EQ(at(0) - kLastTime, Duration::min());
  EXPECT_EQ(at(-9223372037, 500'000'000) - at(0), -9223372036500ms);
}

TEST(Age, IsPrintedLikeKubectl) {
  const struct {
    Duration age;
    const char* text;
  } cases[] = {{-5s, "0s"},
               {0s, "0s"},
               {45900ms, "45s"},
               {119s, "119s"},
               {120s, "2m"},
               {135s, "2m15s"},
               {12min + 7s, "12m"},
               {179min, "179m"},
               {3h + 20min, "3h20m"},
               {4h, "4h"},
               {8h + 20min, "8h"},
               {47h, "47h"},
               {48h, "2d"},
               {50h, "2d2h"},
               {days(8) + 5h, "8d"},
               {days(400), "400d"},
               {days(730), "2y"},
               {days(740), "2y10d"},
               {days(365 * 8 + 3), "8y"},
               {Duration::max(), "292y"},
               {Duration::min(), "0s"}};
  for (const auto& c : cases) EXPECT_EQ(format_age(c.age), c.text);
}

TEST(Duration, ReadsGoSyntaxAndDaysAndWeeks) {
  const struct {
    const char* text;
    Duration duration;
  } cases[] = {
      {"0", 0s},
      {"-0", 0s},
      {"+0", 0s},
      {"0s", 0s},
      {"5s", 5s},
      {"+5s", 5s},
      {"-5s", -5s},
      {"30m", 30min},
      {"1h30m", 90min},
      {"1h30m5s7ms8us9ns", 1h + 30min + 5s + 7ms + 8us + 9ns},
      {"300ms", 300ms},
      {"1.5h", 90min},
      {".5s", 500ms},
      {"5.s", 5s},
      {"-.5s", -500ms},
      {"1.5ns", 1ns},
      {"12\u00b5s", 12us},
      {"12\u03bcs", 12us},
      {"1d", days(1)},
      {"1d12h", 36h},
      {"2w", weeks(2)},
      {"1w1d", days(8)},
      {"0.5w", 84h},
      {"1s1h1s", 1h + 2s},  // any order, and repeated units
      {"007s", 7s},
      {"0.3333333333333333333h", 20min},
      {"0.100000000000000000000h", 6min},
      {"9007199254.740993ms", 9007199254740993ns},
      {"9223372036854775807ns", Duration::max()},
      {"9223372036854775.807us", Duration::max()},
      {"9223372036s854ms775us807ns", Duration::max()},
      {"-9223372036854775808ns", Duration::min()},
      {"-2562047h47m16.854775808s", Duration::min()},
      {"15250w", weeks(15250)},
  };
  for (const auto& c : cases) EXPECT_EQ(parse_duration(c.text), c.duration) << c.text;
}

TEST(Duration, RefusesOtherTexts) {
  for (const char* text : {"",
                           "-",
                           "+",
                           "3",
                           "10",
                           "00",
                           "0.0",
                           ".",
                           ".s",
                           "-.s",
                           "s",
                           "h1",
                           "1",
                           "1 h",
                           " 1h",
                           "1h ",
                           "1h 30m",
                           "1hs",
                           "1x",
                           "1H",
                           "1M",
                           "1min",
                           "1y",
                           "--1s",
                           "+-1s",
                           "1h-30m",
                           "1e3s",
                           "1,5s",
                           "1..5s",
                           "1.5.5s",
                           "1h30",
                           "1\xc2s",
                           "9223372036854775808ns",
                           "-9223372036854775809ns",
                           "9223372036855ms",
                           "3000000h",
                           "15251w",
                           "99999999999999999999999999ns",
                           "9223372036854775.808us",
                           "2562047h47m17s",
                           "-2562047h47m16.854775809s"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_duration(std::string_view("1s\0", 3)), std::nullopt);
}

TEST(Duration, IsWrittenLikeGo) {
  const struct {
    Duration duration;
    const char* text;
  } cases[] = {
      {0s, "0s"},
      {1ns, "1ns"},
      {999ns, "999ns"},
      {1us, "1\u00b5s"},
      {1100ns, "1.1\u00b5s"},
      {2200us, "2.2ms"},
      {1ms, "1ms"},
      {999'999'999ns, "999.999999ms"},
      {1s, "1s"},
      {3300ms, "3.3s"},
      {1s + 1ns, "1.000000001s"},
      {1min, "1m0s"},
      {90min, "1h30m0s"},
      {4min + 5001ms, "4m5.001s"},
      {5h + 6min + 7001ms, "5h6m7.001s"},
      {1h, "1h0m0s"},
      {days(2), "48h0m0s"},
      {-90s, "-1m30s"},
      {-1ns, "-1ns"},
      {Duration::max(), "2562047h47m16.854775807s"},
      {Duration::min(), "-2562047h47m16.854775808s"},
  };
  for (const auto& c : cases) EXPECT_EQ(format_duration(c.duration), c.text);
}

TEST(Duration, IsReadBackAsWritten) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 5'000; ++i) {
    const Duration d(static_cast<std::int64_t>(random()) >> (random() % 64));
    EXPECT_EQ(parse_duration(format_duration(d)), d) << format_duration(d);
  }
}

}  // namespace
}  // namespace muster
