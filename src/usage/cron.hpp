// Moments that come again and again, as cron writes them: "0 9 * * mon-fri". All times are UTC.
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
  // Five fields (minute, hour, day of the month, month, day of the week) of numbers, names, lists, ranges and
  // steps, or @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually. Where both kinds of days are
  // restricted, a day is meant that either of them names. What never comes is refused.
  static Result<CronSchedule> parse(std::string_view text);

  const std::string& text() const { return text_; }
  // The latest moment that is not after `t`, the first that is.
  TimePoint last(TimePoint t) const;
  TimePoint next(TimePoint t) const;

 private:
  using Day = std::chrono::sys_days;
  using Minute = std::chrono::sys_time<std::chrono::minutes>;

  CronSchedule() = default;
  bool is_meant(Day day) const;
  // Of one day, not after or not before `limit`; nothing: none.
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
