// Parses values from text, independently of the locale.
#include "config/scalars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <optional>

#include "util/suggest.hpp"

namespace muster {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return equal_ignoring_case(text, word); });
}

// The number must be the whole text.
template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <class T>
Result<T> value_or_error(const std::optional<T>& value, std::string_view text, std::string_view noun) {
  if (value) return *value;
  return Error{fmt::format("\"{}\" is not a {}", text, noun), {}};
}

}  // namespace

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

Result<bool> to_boolean(std::string_view text) {
  if (is_one_of(text, {"true", "yes", "on", "y"})) return true;
  if (is_one_of(text, {"false", "no", "off", "n"})) return false;
  return Error{fmt::format("\"{}\" is neither true nor false", text), {}};
}

Result<double> to_number(std::string_view text) {
  auto value = parse_number<double>(text);
  if (value && !std::isfinite(*value)) value.reset();
  return value_or_error(value, text, "number");
}

Result<int> to_whole_number(std::string_view text) {
  return value_or_error(parse_number<int>(text), text, "whole number");
}

Result<Duration> to_duration(std::string_view text) {
  return value_or_error(parse_duration(text), text, "duration (e.g. 90s, 1h30m, 2d)");
}

Result<Duration> to_non_negative_duration(std::string_view text) {
  const auto value = to_duration(text);
  if (value && *value < Duration::zero()) return Error{fmt::format("\"{}\" is negative", text), {}};
  return value;
}

Result<TimePoint> to_time(std::string_view text) {
  return value_or_error(parse_time(text), text, "timestamp (e.g. 2025-06-01T12:00:00Z)");
}

std::string not_one_of(std::string_view given, std::span<const std::string_view> words) {
  return fmt::format("\"{}\" is not one of {}{}", given, fmt::join(words, ", "), did_you_mean(given, words));
}

}  // namespace muster
