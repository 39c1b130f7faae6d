// Recurring times in cron notation, such as "0 9 * * mon-fri". All times are UTC.
#pragma once

#include <bitset>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "util/result.hpp"
#include "util/time.hpp"

namespace muster {

class CronSchedule {
 public:
  // Parses five fields (minute, hour, day of the month, month, day of the week) of numbers, names, lists,
  // ranges and steps, or one of @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually. If both
  // kinds of days are restricted, a day needs to match only one of them. A schedule that never occurs is
  // refused.
  static Result<CronSchedule> parse(std::string_view text);

  const std::string& text() const { return text_; }
  // The latest time not after `t`, and the first one after it.
  TimePoint last(TimePoint t) const;
  TimePoint next(TimePoint t) const;

 private:
  using Day = std::chrono::sys_days;
  using Minute = std::chrono::sys_time<std::chrono::minutes>;

  CronSchedule() = default;
  bool matches(Day day) const;
  // The last (first) minute of a day not after (not before) `limit`; nullopt if there is none.
  std::optional<Minute> last_of(Day day, Minute limit) const;
  std::optional<Minute> first_of(Day day, Minute limit) const;
  std::optional<Minute> search(Day from, std::chrono::days step, Minute limit) const;

  std::string text_;
  std::bitset<60> minutes_;
  std::bitset<24> hours_;
  std::bitset<32> days_;
  std::bitset<13> months_;
  std::bitset<7> weekdays_;  // from Sunday on
  bool any_day_ = true, any_weekday_ = true;
};

}  // namespace muster
