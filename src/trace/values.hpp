// What the values of traces mean: numbers, durations, instants, amounts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "util/time.hpp"

namespace muster::trace {

std::string_view without_space(std::string_view text);
// At most so much of it as fits a message.
std::string shortened(std::string_view text);

// "", and what others write where they have nothing: nan, None, null, NA.
bool is_nothing(std::string_view text);

// A number that is one; nothing for anything else, infinity among it.
std::optional<double> number_of(std::string_view text);
// Bare numbers are none; "2h" is.
std::optional<Duration> duration_of(std::string_view text);
// RFC 3339, or "2017-10-07 01:11:39", which is taken for UTC.
std::optional<TimePoint> instant_of(std::string_view text);

// Nothing where it does not fit.
std::optional<Duration> duration_of_seconds(double seconds);
double seconds(Duration duration);
double seconds_since_epoch(TimePoint instant);
std::optional<TimePoint> instant_of_seconds(double since_epoch);

// Whether it can be shown, and written as JSON.
bool is_utf8(std::string_view text);

}  // namespace muster::trace
