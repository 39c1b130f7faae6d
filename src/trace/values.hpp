// Parses the values of traces: numbers, durations, timestamps, amounts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "util/time.hpp"

namespace muster::trace {

std::string_view without_space(std::string_view text);
// The text, shortened to fit a message.
std::string shortened(std::string_view text);

// Whether the text means "no value": "", nan, None, null, NA.
bool is_nothing(std::string_view text);

// Returns nullopt for anything but a finite number.
std::optional<double> number_of(std::string_view text);
// Returns nullopt for a bare number; "2h" is a duration.
std::optional<Duration> duration_of(std::string_view text);
// Accepts RFC 3339, and "2017-10-07 01:11:39" as UTC.
std::optional<TimePoint> instant_of(std::string_view text);

// Returns nullopt if it is out of range.
std::optional<Duration> duration_of_seconds(double seconds);
double seconds(Duration duration);
double seconds_since_epoch(TimePoint instant);
std::optional<TimePoint> instant_of_seconds(double since_epoch);

// Whether the text can be displayed and written as JSON.
bool is_utf8(std::string_view text);

}  // namespace muster::trace
