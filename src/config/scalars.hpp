// Parses scalar values of configuration files. An Error contains only the message; the caller knows the
// location.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "util/result.hpp"
#include "util/time.hpp"

namespace muster {

// The YAML 1.1 words in any letter case: true, yes, on, y and their opposites.
Result<bool> to_boolean(std::string_view text);
// Infinity and NaN are refused.
Result<double> to_number(std::string_view text);
Result<int> to_whole_number(std::string_view text);
Result<Duration> to_duration(std::string_view text);
Result<Duration> to_non_negative_duration(std::string_view text);
Result<TimePoint> to_time(std::string_view text);

// For example "\"lcaa\" is not one of lca, queue; did you mean \"lca\"?"
std::string not_one_of(std::string_view given, std::span<const std::string_view> words);

bool equal_ignoring_case(std::string_view a, std::string_view b);

}  // namespace muster
