// Parses the fields of a cron schedule into sets of numbers, and searches the calendar day by day.
#include "usage/cron.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <vector>

namespace muster {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;

// The longest gap between two 29ths of February is eight years.
constexpr days kFarthest(366 * 9);

constexpr auto kMonths = std::to_array<std::string_view>(
    {"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"});
constexpr auto kWeekdays = std::to_array<std::string_view>({"sun", "mon", "tue", "wed", "thu", "fri", "sat"});

// The range of a field, and the names for numbers from `least` on.
struct CronField {
  std::string_view noun;
  int least, most;
  std::span<const std::string_view> names = {};
};

constexpr CronField kMinute{"minute", 0, 59}, kHour{"hour", 0, 23}, kDay{"day of the month", 1, 31};
constexpr CronField kMonth{"month", 1, 12, kMonths};
constexpr CronField kWeekday{"day of the week", 0, 7, kWeekdays};  // 7 also means Sunday

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

std::vector<std::string_view> split_at(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::optional<int> cron_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || value < 0) return {};
  return value;
}

std::optional<int> value_in(const CronField& field, std::string_view text) {
  if (const auto name = std::ranges::find(field.names, text); name != field.names.end())
    return field.least + static_cast<int>(name - field.names.begin());
  const auto value = cron_number(text);
  return value && *value >= field.least && *value <= field.most ? value : std::nullopt;
}

Error bad_part(const CronField& field, std::string_view part) {
  return Error{fmt::format("\"{}\" is not a valid {} ({} to {})", part, field.noun, field.least, field.most),
               {}};
}

// Parses "*", "5", "1-5", "*/2", "10-20/5" and "7/3" (every third from 7 on).
template <std::size_t N>
Result<bool> add_part(const CronField& field, std::string_view part, std::bitset<N>& set) {
  const auto slash = part.find('/');
  const std::string_view range = part.substr(0, slash);
  std::optional<int> step = 1;
  if (slash != part.npos) step = cron_number(part.substr(slash + 1));
  const auto dash = range.find('-');
  std::optional<int> first = field.least, last = field.most;
  if (range != "*" && range != "?") {
    first = value_in(field, range.substr(0, dash));
    if (dash != range.npos)
      last = value_in(field, range.substr(dash + 1));
    else if (slash == part.npos)
      last = first;
  }
  if (!step || *step == 0 || !first || !last || *first > *last) return bad_part(field, part);
  for (int value = *first; value <= *last; value += *step)
    set.set(static_cast<std::size_t>(&field == &kWeekday ? value % 7 : value));
  return true;
}

template <std::size_t N>
Result<bool> read_field(const CronField& field, std::string_view text, std::bitset<N>& set) {
  for (const std::string_view part : split_at(text, ","))
    if (auto read = add_part(field, part, set); !read) return read;
  return true;
}

std::string_view without_macro(std::string_view text) {
  constexpr auto kMacros =
      std::to_array<std::pair<std::string_view, std::string_view>>({{"@hourly", "0 * * * *"},
                                                                    {"@daily", "0 0 * * *"},
                                                                    {"@midnight", "0 0 * * *"},
                                                                    {"@weekly", "0 0 * * 0"},
                                                                    {"@monthly", "0 0 1 * *"},
                                                                    {"@yearly", "0 0 1 1 *"},
                                                                    {"@annually", "0 0 1 1 *"}});
  for (const auto& [macro, line] : kMacros)
    if (text == macro) return line;
  return text;
}

bool is_open_field(std::string_view field) { return field.starts_with('*') || field.starts_with('?'); }

template <std::size_t N>
std::optional<int> highest(const std::bitset<N>& set, int most) {
  for (int i = most; i >= 0; --i)
    if (set.test(static_cast<std::size_t>(i))) return i;
  return {};
}

template <std::size_t N>
std::optional<int> lowest(const std::bitset<N>& set, int least) {
  for (int i = least; i < static_cast<int>(N); ++i)
    if (set.test(static_cast<std::size_t>(i))) return i;
  return {};
}

}  // namespace

Result<CronSchedule> CronSchedule::parse(std::string_view text) {
  const std::string lower = lower_case(text);
  auto fields = split_at(without_macro(lower), " \t");
  std::erase(fields, "");
  if (fields.size() != 5)
    return Error{
        fmt::format("\"{}\" has {} fields; a cron schedule has five: minute, hour, day of the month, "
                    "month, day of the week",
                    text, fields.size()),
        {}};
  CronSchedule schedule;
  schedule.text_ = fmt::format("{}", fmt::join(fields, " "));
  for (const auto& read :
       {read_field(kMinute, fields[0], schedule.minutes_), read_field(kHour, fields[1], schedule.hours_),
        read_field(kDay, fields[2], schedule.days_), read_field(kMonth, fields[3], schedule.months_),
        read_field(kWeekday, fields[4], schedule.weekdays_)})
    if (!read) return read.error();
  schedule.any_day_ = is_open_field(fields[2]);
  schedule.any_weekday_ = is_open_field(fields[4]);
  const Day any_leap_year = std::chrono::year(2024) / 1 / 1;
  if (!schedule.search(any_leap_year, days(1), any_leap_year))
    return Error{fmt::format("\"{}\" never occurs", text), {}};
  return schedule;
}

bool CronSchedule::matches(Day day) const {
  const std::chrono::year_month_day date(day);
  if (!months_.test(static_cast<unsigned>(date.month()))) return false;
  const bool by_day = days_.test(static_cast<unsigned>(date.day()));
  const bool by_weekday = weekdays_.test(std::chrono::weekday(day).c_encoding());
  return any_day_ || any_weekday_ ? by_day && by_weekday : by_day || by_weekday;
}

std::optional<CronSchedule::Minute> CronSchedule::last_of(Day day, Minute limit) const {
  const auto most = std::min<minutes>(limit - day, hours(24) - minutes(1)).count();
  for (auto hour = highest(hours_, static_cast<int>(most / 60)); hour; hour = highest(hours_, *hour - 1))
    if (const auto minute = highest(minutes_, *hour == most / 60 ? static_cast<int>(most % 60) : 59))
      return day + hours(*hour) + minutes(*minute);
  return {};
}

std::optional<CronSchedule::Minute> CronSchedule::first_of(Day day, Minute limit) const {
  const auto least = std::max<minutes>(limit - day, minutes(0)).count();
  for (auto hour = lowest(hours_, static_cast<int>(least / 60)); hour; hour = lowest(hours_, *hour + 1))
    if (const auto minute = lowest(minutes_, *hour == least / 60 ? static_cast<int>(least % 60) : 0))
      return day + hours(*hour) + minutes(*minute);
  return {};
}

std::optional<CronSchedule::Minute> CronSchedule::search(Day from, days step, Minute limit) const {
  for (Day day = from; std::chrono::abs(day - from) <= kFarthest; day += step)
    if (matches(day))
      if (const auto found = step > days(0) ? first_of(day, limit) : last_of(day, limit)) return found;
  return {};
}

// Both searches succeed because schedules that never occur are refused.
TimePoint CronSchedule::last(TimePoint t) const {
  const auto limit = std::chrono::floor<minutes>(t.whole_seconds());
  return *search(std::chrono::floor<days>(t.whole_seconds()), days(-1), limit);
}

TimePoint CronSchedule::next(TimePoint t) const {
  const auto limit = std::chrono::floor<minutes>(t.whole_seconds()) + minutes(1);
  return *search(std::chrono::floor<days>(limit), days(1), limit);
}

}  // namespace muster
