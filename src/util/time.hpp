// Instants and durations as Kubernetes and Go write them.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace muster {

using Duration = std::chrono::nanoseconds;
using TimePoint = std::chrono::sys_time<Duration>;

// RFC 3339 with optional fraction (cut at nanoseconds) and any offset; nothing if it does not parse or is
// outside what nanoseconds can count (years 1678 to 2261 fit). Leap seconds are refused, as Go does.
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

}  // namespace muster
