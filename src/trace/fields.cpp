// Reads each kind of value, checks its bounds, and words the messages about bad values.
#include "trace/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "model/work.hpp"
#include "trace/values.hpp"
#include "util/quantity.hpp"

namespace muster::trace {
namespace {

constexpr std::size_t kLongestName = 253;  // limit of Kubernetes
constexpr double kMostAmount = 1e15;       // far below the integer limits
constexpr double kGiB = 1024.0 * 1024 * 1024;
constexpr double kNearlyWhole = 1e-9;

Error mistake(std::string message) { return {std::move(message), {}}; }

// The form of a value in messages.
std::string shown(const Value& value) {
  if (value.type == Value::Type::kText)
    return fmt::format("\"{}\"", is_utf8(value.text) ? shortened(value.text) : "…");
  if (value.type == Value::Type::kInstant) {
    const auto instant = instant_of_seconds(value.number);
    return instant ? format_time(*instant) : "a timestamp";
  }
  return fmt::format("{}", value.number);
}

// A bare number, from the file or computed.
std::optional<double> number_in(const Value& value) {
  if (value.type == Value::Type::kNumber) return value.number;
  return value.type == Value::Type::kText ? number_of(value.text) : std::nullopt;
}

// The amount of a resource: a bare number times `unit`, rounded up, or a Kubernetes quantity.
Result<std::int64_t> amount_in(const Value& value, double unit,
                               std::optional<std::int64_t> (*quantity)(std::string_view),
                               const char* example) {
  std::optional<std::int64_t> amount;
  if (const auto number = number_in(value)) {
    if (std::abs(*number) * unit < kMostAmount * 1024)
      amount = static_cast<std::int64_t>(std::ceil(*number * unit - kNearlyWhole));
  } else if (value.type == Value::Type::kText) {
    amount = quantity(value.text);
  }
  if (!amount) return mistake(fmt::format("{} is not an amount such as {}", shown(value), example));
  if (*amount < 0) return mistake(fmt::format("{} is negative", shown(value)));
  return *amount;
}

bool is_visible(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

}  // namespace

Result<std::string> name_in(const Value& value) {
  const std::string text =
      value.type == Value::Type::kText ? std::string(value.text) : fmt::format("{}", value.number);
  if (!is_utf8(text)) return mistake("is not valid UTF-8");
  if (text.size() > kLongestName)
    return mistake(fmt::format("\"{}\" has {} characters; the maximum is {}", shortened(text), text.size(),
                               kLongestName));
  if (text.find('/') != std::string::npos)
    return mistake(fmt::format("\"{}\" contains a slash", shortened(text)));
  if (!is_visible(text)) return mistake("contains invisible characters");
  return text;
}

Result<std::int32_t> count_in(const Value& value, std::int32_t least, std::int32_t most) {
  const auto number = number_in(value);
  if (!number || std::abs(*number - std::round(*number)) > kNearlyWhole)
    return mistake(fmt::format("{} is not a whole number", shown(value)));
  if (*number < least) return mistake(fmt::format("{} is less than {}", shown(value), least));
  if (*number > most) return mistake(fmt::format("{} is more than {}", shown(value), most));
  return static_cast<std::int32_t>(std::lround(*number));
}

Result<std::int64_t> milli_cores_in(const Value& value) {
  return amount_in(value, 1000, quantity_milli, "4 or 500m");
}

Result<std::int64_t> bytes_in(const Value& value) {
  return amount_in(value, kGiB, quantity_value, "64 (GiB) or 512Mi");
}

Result<GpuAmount> gpus_in(const Value& value) {
  constexpr std::int32_t kMost = 1'000'000;
  const auto number = number_in(value);
  if (!number) return mistake(fmt::format("{} is not a number of GPUs", shown(value)));
  if (*number < 0) return mistake(fmt::format("{} is negative", shown(value)));
  if (*number > kMost) return mistake(fmt::format("{} is more than {}", shown(value), kMost));
  const double whole = std::round(*number);
  if (std::abs(*number - whole) <= kNearlyWhole) return GpuAmount{.whole = static_cast<std::int32_t>(whole)};
  if (*number > 1)
    return mistake(fmt::format("{} is more than one GPU but not a whole number", shown(value)));
  return GpuAmount{.share = *number};
}

static Result<Duration> span_in(const Value& value) {
  std::optional<Duration> duration;
  if (const auto number = number_in(value)) {
    duration = duration_of_seconds(*number);
    if (!duration) return mistake(fmt::format("{} is longer than 290 years", shown(value)));
  } else if (value.type == Value::Type::kText) {
    duration = duration_of(value.text);
  }
  if (!duration)
    return mistake(fmt::format("{} is not a duration such as 3600 (seconds) or 1h30m", shown(value)));
  if (*duration < Duration::zero()) return mistake(fmt::format("{} is negative", shown(value)));
  return *duration;
}

Result<Duration> duration_in(const Value& value) {
  if (const auto number = number_in(value);
      number && *number > std::chrono::duration<double>(kLongestWork).count())
    return mistake(fmt::format("{} is longer than 100 years", shown(value)));
  const auto span = span_in(value);
  if (span && *span > kLongestWork) return mistake(fmt::format("{} is longer than 100 years", shown(value)));
  return span;
}

Result<Moment> moment_in(const Value& value) {
  if (value.type == Value::Type::kInstant) {
    const auto instant = instant_of_seconds(value.number);
    if (!instant) return mistake("the timestamp is out of range");
    return Moment{.at = *instant, .is_instant = true};
  }
  if (value.type == Value::Type::kText)
    if (const auto instant = instant_of(value.text)) return Moment{.at = *instant, .is_instant = true};
  const auto since = span_in(value);
  if (since) return Moment{.at = TimePoint(*since)};
  if (number_in(value)) return since.error();
  return mistake(fmt::format(
      "{} is not a time such as 3600 (seconds from the start), 1h30m or 2025-06-01T12:00:00Z", shown(value)));
}

}  // namespace muster::trace
