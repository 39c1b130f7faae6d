// RFC 3339 timestamps and Go durations, to the nanosecond.
#include "util/time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace muster {
namespace {

using std::chrono::floor;
using std::chrono::seconds;

constexpr std::int64_t kSecond = 1'000'000'000;

constexpr TimePoint kFirstTime = std::chrono::sys_days(std::chrono::year(0) / 1 / 1);

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

// Takes exactly `width` digits from the front of the text.
std::optional<int> take_number(std::string_view& text, std::size_t width) {
  if (text.size() < width) return {};
  int number = 0;
  for (const char c : text.substr(0, width)) {
    if (!is_digit(c)) return {};
    number = number * 10 + (c - '0');
  }
  text.remove_prefix(width);
  return number;
}

// Three numbers (two if `count` is 2) with `separator` between them: "2025-06-01", "12:00:00", "02:00".
struct Fields {
  int a = 0, b = 0, c = 0;
};
std::optional<Fields> take_fields(std::string_view& text, std::size_t first_width, char separator,
                                  int count) {
  const auto a = take_number(text, first_width);
  if (!a || !take(text, separator)) return {};
  const auto b = take_number(text, 2);
  if (!b) return {};
  if (count == 2) return Fields{*a, *b, 0};
  if (!take(text, separator)) return {};
  const auto c = take_number(text, 2);
  if (!c) return {};
  return Fields{*a, *b, *c};
}

std::optional<std::chrono::sys_days> take_date(std::string_view& text) {
  const auto f = take_fields(text, 4, '-', 3);
  if (!f) return {};
  const std::chrono::year_month_day date(std::chrono::year(f->a),
                                         std::chrono::month(static_cast<unsigned>(f->b)),
                                         std::chrono::day(static_cast<unsigned>(f->c)));
  if (!date.ok()) return {};
  return std::chrono::sys_days(date);
}

std::optional<seconds> take_time_of_day(std::string_view& text) {
  const auto f = take_fields(text, 2, ':', 3);
  if (!f || f->a > 23 || f->b > 59 || f->c > 59) return {};
  return seconds(f->a * 3600 + f->b * 60 + f->c);
}

// The nanoseconds of a fraction such as ".25". Returns 0 if there is no point, nullopt if no digit follows
// it.
std::optional<std::int64_t> take_fraction(std::string_view& text) {
  if (!take(text, '.')) return 0;
  if (text.empty() || !is_digit(text.front())) return {};
  std::int64_t sum = 0;
  for (std::int64_t unit = kSecond / 10; !text.empty() && is_digit(text.front()); unit /= 10) {
    sum += unit * (text.front() - '0');
    text.remove_prefix(1);
  }
  return sum;
}

// Takes "Z", "+02:00" or "-05:30".
std::optional<seconds> take_offset(std::string_view& text) {
  if (take(text, 'Z') || take(text, 'z')) return seconds(0);
  const bool west = take(text, '-');
  if (!west && !take(text, '+')) return {};
  const auto f = take_fields(text, 2, ':', 2);
  if (!f || f->a > 23 || f->b > 59) return {};
  const seconds offset(f->a * 3600 + f->b * 60);
  return west ? -offset : offset;
}

struct Unit {
  std::string_view name;
  std::int64_t nanoseconds;
};
// Both U+00B5 and U+03BC are used for micro.
constexpr Unit kUnits[] = {{"ns", 1},
                           {"us", 1'000},
                           {"\u00b5s", 1'000},
                           {"\u03bcs", 1'000},
                           {"ms", 1'000'000},
                           {"s", kSecond},
                           {"m", 60 * kSecond},
                           {"h", 3600 * kSecond},
                           {"d", 24 * (3600 * kSecond)},
                           {"w", 7 * (24 * (3600 * kSecond))}};

const Unit* take_unit(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && text[end] != '.' && !is_digit(text[end])) ++end;
  const auto name = text.substr(0, end);
  text.remove_prefix(end);
  for (const Unit& unit : kUnits)
    if (unit.name == name) return &unit;
  return nullptr;
}

// The magnitude of -2^63 is one more than the largest int64.
constexpr std::uint64_t kMostMagnitude = std::uint64_t{1} << 63;

// A number such as "1", "1.5", "1." or ".5". The fraction is numerator/scale; digits beyond 63 bits are
// dropped.
struct Decimal {
  std::uint64_t whole = 0, numerator = 0;
  double scale = 1;
};
std::optional<Decimal> take_decimal(std::string_view& text) {
  Decimal d;
  bool any = false;
  for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1), any = true) {
    const auto digit = static_cast<std::uint64_t>(text.front() - '0');
    if (d.whole > (kMostMagnitude - digit) / 10) return {};
    d.whole = d.whole * 10 + digit;
  }
  if (take(text, '.')) {
    bool full = false;
    for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1), any = true) {
      const auto digit = static_cast<std::uint64_t>(text.front() - '0');
      full = full || d.numerator > (kMostMagnitude - digit) / 10;
      if (full) continue;
      d.numerator = d.numerator * 10 + digit;
      d.scale *= 10;
    }
  }
  if (!any) return {};
  return d;
}

// The nanoseconds of one number with its unit. Only the fraction is computed in doubles, in the same steps as
// in Go.
std::optional<std::uint64_t> take_term(std::string_view& text) {
  const auto number = take_decimal(text);
  if (!number) return {};
  const Unit* unit = take_unit(text);
  if (!unit) return {};
  const auto size = static_cast<std::uint64_t>(unit->nanoseconds);
  if (number->whole > kMostMagnitude / size) return {};
  std::uint64_t sum = number->whole * size;
  if (number->numerator > 0) {
    const double part = static_cast<double>(number->numerator) * (static_cast<double>(size) / number->scale);
    sum += static_cast<std::uint64_t>(part);
    if (sum > kMostMagnitude) return {};
  }
  return sum;
}

std::string with_fraction(std::uint64_t whole, std::uint64_t part, int digits) {
  if (part == 0) return fmt::format("{}", whole);
  std::string text = fmt::format("{}.{:0{}}", whole, part, digits);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

std::string format_below_second(std::uint64_t n) {
  if (n == 0) return "0s";
  if (n < 1'000) return fmt::format("{}ns", n);
  if (n < 1'000'000) return with_fraction(n / 1'000, n % 1'000, 3) + "\u00b5s";
  return with_fraction(n / 1'000'000, n % 1'000'000, 6) + "ms";
}

std::string format_magnitude(std::uint64_t n) {
  constexpr std::uint64_t second = kSecond;
  if (n < second) return format_below_second(n);
  const std::uint64_t minutes = n / second / 60;
  std::string text = with_fraction(n / second % 60, n % second, 9) + "s";
  if (minutes > 0) text = fmt::format("{}m{}", minutes % 60, text);
  if (minutes >= 60) text = fmt::format("{}h{}", minutes / 60, text);
  return text;
}

// The larger unit, followed by the next smaller one unless that is 0.
std::string format_units(std::int64_t large, char unit, std::int64_t small, char next) {
  return small == 0 ? fmt::format("{}{}", large, unit) : fmt::format("{}{}{}{}", large, unit, small, next);
}

}  // namespace

std::optional<TimePoint> parse_time(std::string_view text) {
  const auto date = take_date(text);
  if (!date || (!take(text, 'T') && !take(text, 't'))) return {};
  const auto time_of_day = take_time_of_day(text);
  if (!time_of_day) return {};
  const auto fraction = take_fraction(text);
  if (!fraction) return {};
  const auto offset = take_offset(text);
  if (!offset || !text.empty()) return {};

  const TimePoint t = TimePoint(*date + *time_of_day - *offset) + Duration(*fraction);
  if (t < kFirstTime || t > kLastTime) return {};
  return t;
}

std::string format_time(TimePoint t) {
  const std::chrono::year_month_day date(floor<std::chrono::days>(t.whole_seconds()));
  const auto part = static_cast<std::uint64_t>(t.nanoseconds());
  const std::string fraction = part == 0 ? "" : with_fraction(0, part, 9).substr(1);
  return fmt::format("{:04}-{:02}-{:02}T{}{}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), format_clock(t),
                     fraction);
}

std::string format_clock(TimePoint t) {
  const auto whole = t.whole_seconds();
  const auto second = (whole - floor<std::chrono::days>(whole)).count();
  return fmt::format("{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60);
}

std::optional<Duration> parse_duration(std::string_view text) {
  const bool negative = take(text, '-');
  if (!negative) take(text, '+');
  if (text == "0") return Duration(0);
  if (text.empty()) return {};
  std::uint64_t sum = 0;
  while (!text.empty()) {
    const auto term = take_term(text);
    if (!term || *term > kMostMagnitude - sum) return {};
    sum += *term;
  }
  if (!negative && sum == kMostMagnitude) return {};
  return Duration(static_cast<std::int64_t>(negative ? 0 - sum : sum));
}

std::string format_age(Duration d) {
  const std::int64_t second = std::max<std::int64_t>(floor<seconds>(d).count(), 0);
  const std::int64_t minute = second / 60, hour = minute / 60, day = hour / 24, year = day / 365;
  if (minute < 2) return fmt::format("{}s", second);
  if (minute < 10) return format_units(minute, 'm', second % 60, 's');
  if (hour < 3) return fmt::format("{}m", minute);
  if (hour < 8) return format_units(hour, 'h', minute % 60, 'm');
  if (hour < 48) return fmt::format("{}h", hour);
  if (day < 8) return format_units(day, 'd', hour % 24, 'h');
  if (year < 2) return fmt::format("{}d", day);
  return year < 8 ? format_units(year, 'y', day % 365, 'd') : fmt::format("{}y", year);
}

std::string format_duration(Duration d) {
  const auto bits = static_cast<std::uint64_t>(d.count());
  return d.count() < 0 ? "-" + format_magnitude(0 - bits) : format_magnitude(bits);
}

}  // namespace muster
