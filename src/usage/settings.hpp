// The source of past use, and the time over which it counts: usageDBConfig of the configuration.
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string>

#include "usage/cron.hpp"
#include "util/result.hpp"
#include "util/time.hpp"

namespace muster {

enum class UsageWindow { kSliding, kTumbling, kCron };

struct UsageSettings {
  std::string client_type;                // "": no usage data
  std::string connection_string;          // http://prometheus:9090
  std::string connection_string_env_var;  // the environment variable with the connection string
  Location env_var_place;
  UsageWindow window_type = UsageWindow::kSliding;
  Duration window_size = std::chrono::weeks(1);  // not used for cron windows
  Duration half_life = Duration::zero();         // zero: use does not decay
  Duration fetch_interval = std::chrono::minutes(1);
  Duration staleness = std::chrono::minutes(5);
  Duration wait_timeout = std::chrono::minutes(1);
  std::optional<TimePoint> tumbling_start;
  std::optional<CronSchedule> cron;
  Duration query_timeout = std::chrono::seconds(10);
  Duration query_resolution = std::chrono::minutes(1);
  std::array<std::string, 3> allocation_metrics, capacity_metrics;  // "": the default
  bool fades_when_stale = true;                                     // a value that cannot be updated fades

  // Whether the configuration asks for past use, from any source.
  bool is_wanted() const { return !client_type.empty(); }
  bool is_prometheus() const { return client_type == "prometheus"; }
  bool is_embedded() const { return client_type == "embedded"; }
};

// The address of Prometheus, from the settings or from the environment variable that they name.
Result<std::string> usage_address(const UsageSettings& settings);
// The mistake in an address, or "".
std::string problem_of_address(const std::string& address);
// The age from which a value is stale: never less than the time until the next value is due.
Duration staleness_of(const UsageSettings& settings);

}  // namespace muster
