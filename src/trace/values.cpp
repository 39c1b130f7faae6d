// Parses numbers, durations, timestamps and amounts, with bounds that keep sums in range.
#include "trace/values.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "util/printable.hpp"

namespace muster::trace {
namespace {

constexpr std::size_t kLongestShown = 40;
constexpr double kMostSeconds = 9.2e9;  // about 290 years, the limit of Duration

}  // namespace

std::string_view without_space(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string shortened(std::string_view text) {
  if (text.size() <= kLongestShown) return std::string(text);
  return beginning_of(text, kLongestShown) + "…";
}

bool is_nothing(std::string_view text) {
  static constexpr std::array<std::string_view, 8> kNothing{"",     "nan",  "NaN", "None",
                                                            "null", "NULL", "NA",  "<NA>"};
  return std::ranges::find(kNothing, text) != kNothing.end();
}

std::optional<double> number_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

std::optional<Duration> duration_of(std::string_view text) { return parse_duration(text); }

std::optional<TimePoint> instant_of(std::string_view text) {
  if (const auto instant = parse_time(text)) return instant;
  constexpr std::size_t kDay = 10;  // "2017-10-07"
  if (text.size() <= kDay || (text[kDay] != ' ' && text[kDay] != 'T')) return std::nullopt;
  std::string with_zone(text);
  with_zone[kDay] = 'T';
  return parse_time(with_zone + "Z");
}

std::optional<Duration> duration_of_seconds(double seconds) {
  if (!(std::abs(seconds) < kMostSeconds)) return std::nullopt;
  const double whole = std::trunc(seconds);
  return std::chrono::seconds(static_cast<std::int64_t>(whole)) +
         Duration(std::llround((seconds - whole) * 1e9));
}

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

double seconds_since_epoch(TimePoint instant) {
  return static_cast<double>(instant.whole_seconds().time_since_epoch().count()) +
         1e-9 * instant.nanoseconds();
}

std::optional<TimePoint> instant_of_seconds(double since_epoch) {
  const auto duration = duration_of_seconds(since_epoch);
  if (!duration) return std::nullopt;
  return TimePoint(*duration);
}

bool is_utf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

}  // namespace muster::trace
