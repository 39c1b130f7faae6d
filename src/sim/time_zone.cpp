// Uses the C library, which supports only one time zone at a time for the whole process.
#include "sim/time_zone.hpp"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>

namespace muster {
namespace {

std::filesystem::path database() {
  const char* const given = std::getenv("TZDIR");
  return given != nullptr && *given != '\0' ? given : "/usr/share/zoneinfo";
}

// Rejects names that would lead to a path outside the database.
bool is_name(const std::string& name) {
  const auto is_good = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '/' || c == '_' || c == '-' || c == '+';
  };
  return !name.empty() && name.front() != '/' && std::ranges::all_of(name, is_good);
}

void enter(const std::string& name) {
  static std::string entered;
  if (entered == name) return;
  entered = name;
  setenv("TZ", (":" + name).c_str(), 1);
  tzset();
}

TimePoint with_seconds(std::time_t seconds, TimePoint fraction_of) {
  return TimePoint(std::chrono::seconds(seconds)) + Duration(fraction_of.nanoseconds());
}

std::time_t whole_seconds(TimePoint t) { return t.whole_seconds().time_since_epoch().count(); }

}  // namespace

std::optional<TimeZone> TimeZone::find(const std::string& name) {
  TimeZone zone;
  if (name == "UTC" || name == "Etc/UTC") return zone;
  std::error_code error;
  if (!is_name(name) || !std::filesystem::is_regular_file(database() / name, error)) return std::nullopt;
  zone.name_ = name;
  return zone;
}

TimePoint TimeZone::local(TimePoint utc) const {
  if (name_.empty()) return utc;
  enter(name_);
  const std::time_t seconds = whole_seconds(utc);
  std::tm fields{};
  localtime_r(&seconds, &fields);
  return with_seconds(timegm(&fields), utc);
}

TimePoint TimeZone::utc(TimePoint local) const {
  if (name_.empty()) return local;
  enter(name_);
  const std::time_t seconds = whole_seconds(local);
  std::tm fields{};
  gmtime_r(&seconds, &fields);
  std::tm in_summer = fields;
  fields.tm_isdst = -1;
  const std::time_t any = mktime(&fields);
  in_summer.tm_isdst = 1;
  const std::time_t summer = mktime(&in_summer);
  const bool comes_twice = summer < any && this->local(with_seconds(summer, local)) == local;
  return with_seconds(comes_twice ? summer : any, local);
}

}  // namespace muster
