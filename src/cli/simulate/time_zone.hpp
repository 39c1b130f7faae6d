// Wall clocks of a time zone, as the system's time zone database has them.
#pragma once

#include <optional>
#include <string>

#include "util/time.hpp"

namespace muster::cli {

// UTC, unless it was found by name.
class TimeZone {
 public:
  // "Europe/Berlin"; nothing where the database does not have it.
  static std::optional<TimeZone> find(const std::string& name);

  // What clocks show, as if they stood in UTC, and back. A time that clocks leave out is moved by the hour;
  // of one that they show twice, the first is meant.
  TimePoint local(TimePoint instant) const;
  TimePoint instant(TimePoint local) const;

 private:
  std::string name_;  // "": UTC
};

}  // namespace muster::cli
