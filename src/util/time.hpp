// Instants and durations as Kubernetes and Go write them.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "util/int128.hpp"

namespace muster {

using Duration = std::chrono::nanoseconds;

// An instant to the nanosecond, of any year that can be written. How far apart two are is cut off at what a
// Duration can hold, about 292 years, as Go does.
class TimePoint {
 public:
  constexpr TimePoint() = default;  // 1970-01-01T00:00:00Z
  constexpr explicit TimePoint(Duration since_epoch) { *this += since_epoch; }
  template <class D>
  constexpr TimePoint(std::chrono::sys_time<D> t)
      : since_epoch_(Int128{std::chrono::floor<std::chrono::seconds>(t).time_since_epoch().count()} *
                     kSecond) {
    *this += t - std::chrono::floor<std::chrono::seconds>(t);
  }

  // The second that it is in.
  constexpr std::chrono::sys_seconds whole_seconds() const {
    const Int128 towards_epoch = since_epoch_ / kSecond;
    const bool is_later = since_epoch_ % kSecond < 0;
    return std::chrono::sys_seconds(
        std::chrono::seconds(static_cast<std::int64_t>(towards_epoch) - is_later));
  }
  constexpr std::int32_t nanoseconds() const {  // since then
    return static_cast<std::int32_t>((since_epoch_ % kSecond + kSecond) % kSecond);
  }
  constexpr Duration time_since_epoch() const { return *this - TimePoint(); }

  constexpr TimePoint& operator+=(Duration d) {
    since_epoch_ += d.count();
    return *this;
  }
  constexpr TimePoint& operator-=(Duration d) {
    since_epoch_ -= d.count();
    return *this;
  }
  friend constexpr TimePoint operator+(TimePoint t, Duration d) { return t += d; }
  friend constexpr TimePoint operator-(TimePoint t, Duration d) { return t -= d; }
  friend constexpr Duration operator-(TimePoint a, TimePoint b) {
    const Int128 difference = a.since_epoch_ - b.since_epoch_;
    if (difference > Duration::max().count()) return Duration::max();
    if (difference < Duration::min().count()) return Duration::min();
    return Duration(static_cast<std::int64_t>(difference));
  }
  constexpr auto operator<=>(const TimePoint&) const = default;

 private:
  static constexpr std::int64_t kSecond = 1'000'000'000;

  Int128 since_epoch_ = 0;  // in nanoseconds: compared all the time, as one number
};

// The last instant that format_time() writes so that it can be read again.
inline constexpr TimePoint kLastTime =
    TimePoint(std::chrono::sys_days(std::chrono::year(10000) / 1 / 1)) - Duration(1);

// RFC 3339 with optional fraction (cut at nanoseconds) and any offset; nothing if it does not parse, or if
// its year is none from 0000 to 9999 in UTC. Leap seconds are refused, as Go does.
std::optional<TimePoint> parse_time(std::string_view text);
// "2025-06-01T12:00:00Z"; a fraction only where there is one.
std::string format_time(TimePoint t);
// "12:04:31", for people.
std::string format_clock(TimePoint t);

// Go syntax ("1h30m", "300ms", "1.5h", "-1s", "0") plus d (24h) and w (7d). A bare number other than 0 is
// refused, and so is what does not fit. Fractions give the same nanosecond as Go.
std::optional<Duration> parse_duration(std::string_view text);
// "1h30m0s", as Go prints it.
std::string format_duration(Duration d);
// How long ago something was, as kubectl prints ages: "45s", "12m", "3h20m", "4d"; "0s" for what is to come.
std::string format_age(Duration d);

}  // namespace muster
