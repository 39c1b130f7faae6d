// Text to value, as configuration files write them. An Error has the message only; the caller knows the
// place.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "util/result.hpp"
#include "util/time.hpp"

namespace muster {

// The words of YAML 1.1, in any letter case: true, yes, on, y and their opposites.
Result<bool> to_boolean(std::string_view text);
// Finite.
Result<double> to_number(std::string_view text);
Result<int> to_whole_number(std::string_view text);
Result<Duration> to_duration(std::string_view text);
Result<Duration> to_non_negative_duration(std::string_view text);
Result<TimePoint> to_time(std::string_view text);

// "\"lcaa\" is not one of lca, queue; did you mean \"lca\"?"
std::string not_one_of(std::string_view given, std::span<const std::string_view> words);

bool equal_ignoring_case(std::string_view a, std::string_view b);

}  // namespace muster
