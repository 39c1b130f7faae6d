// Converts between UTC and the local time of a time zone, using the system's time zone database.
#pragma once

#include <optional>
#include <string>

#include "util/time.hpp"

namespace muster {

// A default-constructed zone is UTC.
class TimeZone {
 public:
  // `name` is, for example, "Europe/Berlin". Returns nullopt if the database does not contain it.
  static std::optional<TimeZone> find(const std::string& name);

  // Converts UTC to local time and back. Local times are represented as if they were in UTC. A local time
  // that is skipped is shifted by the hour; a local time that occurs twice means the first occurrence.
  TimePoint local(TimePoint utc) const;
  TimePoint utc(TimePoint local) const;

 private:
  std::string name_;  // "": UTC
};

}  // namespace muster
