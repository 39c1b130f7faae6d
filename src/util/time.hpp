// Timestamps and durations as written by Kubernetes and Go.
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

// A time to the nanosecond, in any year that can be written. The difference of two times saturates at the
// range of Duration, about 292 years, as in Go.
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

  // The time rounded down to the second.
  constexpr std::chrono::sys_seconds whole_seconds() const {
    const Int128 towards_epoch = since_epoch_ / kSecond;
    const bool is_later = since_epoch_ % kSecond < 0;
    return std::chrono::sys_seconds(
        std::chrono::seconds(static_cast<std::int64_t>(towards_epoch) - is_later));
  }
  constexpr std::int32_t nanoseconds() const {  // since whole_seconds()
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

  Int128 since_epoch_ = 0;  // in nanoseconds; one number, because times are compared very often
};

// The last time that format_time() writes in a form that can be read again.
inline constexpr TimePoint kLastTime =
    TimePoint(std::chrono::sys_days(std::chrono::year(10000) / 1 / 1)) - Duration(1);

// Parses RFC 3339 with an optional fraction (truncated to nanoseconds) and any offset. Returns nullopt for
// other text, and for years outside 0000 to 9999 in UTC. Leap seconds are refused, as in Go.
std::optional<TimePoint> parse_time(std::string_view text);
// For example "2025-06-01T12:00:00Z". The fraction is omitted if it is 0.
std::string format_time(TimePoint t);
// For example "12:04:31", for display.
std::string format_clock(TimePoint t);

// Parses Go syntax ("1h30m", "300ms", "1.5h", "-1s", "0") plus d (24h) and w (7d). Refuses bare numbers other
// than 0, and durations out of range. Fractions give the same nanosecond as in Go.
std::optional<Duration> parse_duration(std::string_view text);
// Formats like Go: "1h30m0s".
std::string format_duration(Duration d);
// Formats an age like kubectl: "45s", "12m", "3h20m", "4d"; "0s" for times in the future.
std::string format_age(Duration d);

}  // namespace muster
