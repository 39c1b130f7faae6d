// Reads usageDBConfig and reports settings that contradict each other.
#include "config/usage_section.hpp"

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <vector>

#include "config/scalars.hpp"
#include "util/suggest.hpp"

namespace muster {
namespace {

using std::chrono::seconds;

constexpr Duration kLongest = std::chrono::days(3650);  // keeps sums of timestamps in range
constexpr Duration kShortest = std::chrono::milliseconds(1);

SettingReader into_time_of(Duration& target, Duration least = Duration::zero()) {
  return [&target, least](const Setting& setting) {
    Duration given = target;
    setting.read_non_negative(given);
    if (given < least)
      return setting.fail(
          fmt::format("{} is too short; the minimum is {}", format_duration(given), format_duration(least)));
    if (given > kLongest)
      return setting.fail(fmt::format("{} is too long; the maximum is ten years", format_duration(given)));
    target = given;
  };
}

SettingReader into_cron(std::optional<CronSchedule>& target) {
  return [&target](const Setting& setting) {
    const auto text = setting.text();
    if (!text || text->empty()) return;
    auto schedule = CronSchedule::parse(*text);
    if (!schedule) return setting.fail(schedule.error().message);
    target = std::move(*schedule);
  };
}

SettingReader into_address(std::string& target) {
  return [&target](const Setting& setting) {
    setting.read(target);
    if (const std::string problem = problem_of_address(target); !target.empty() && !problem.empty())
      setting.fail(problem);
  };
}

void read_extra_params(const Setting& section, UsageSettings& usage) {
  const std::map<std::string_view, SettingReader> known = {
      {"usageQueryTimeout", into_time_of(usage.query_timeout, kShortest)},
      {"queryResolution", into_time_of(usage.query_resolution, kShortest)},
      {"cpuAllocationMetric", into(usage.allocation_metrics[0])},
      {"memoryAllocationMetric", into(usage.allocation_metrics[1])},
      {"gpuAllocationMetric", into(usage.allocation_metrics[2])},
      {"cpuCapacityMetric", into(usage.capacity_metrics[0])},
      {"memoryCapacityMetric", into(usage.capacity_metrics[1])},
      {"gpuCapacityMetric", into(usage.capacity_metrics[2])}};
  std::vector<std::string_view> names;
  for (const auto& entry : known) names.push_back(entry.first);
  section.each_member([&](const std::string& name, const Setting& value) {
    if (const auto found = known.find(name); found != known.end()) return found->second(value);
    value.fail(fmt::format("unknown parameter \"{}\"{}", name, did_you_mean(name, names)));
  });
}

void read_usage_params(const Setting& section, UsageSettings& usage) {
  section.read_keys(
      {{"windowSize", into_time_of(usage.window_size, seconds(1))},
       {"windowType", into_choice<UsageWindow>(usage.window_type, {{"sliding", UsageWindow::kSliding},
                                                                   {"tumbling", UsageWindow::kTumbling},
                                                                   {"cron", UsageWindow::kCron}})},
       {"halfLifePeriod", into_time_of(usage.half_life)},
       {"fetchInterval", into_time_of(usage.fetch_interval, seconds(1))},
       {"stalenessPeriod", into_time_of(usage.staleness)},
       {"waitTimeout", into_time_of(usage.wait_timeout)},
       {"tumblingWindowStartTime", into(usage.tumbling_start)},
       {"cronString", into_cron(usage.cron)},
       {"extraParams", [&](const Setting& s) { read_extra_params(s, usage); }}});
}

void check_connection(const Setting& section, const UsageSettings& usage, UsageAddress address) {
  const bool has_address = !usage.connection_string.empty();
  const bool has_variable = !usage.connection_string_env_var.empty();
  if (usage.is_prometheus() && !has_address && !has_variable && address == UsageAddress::kNow)
    section.fail(kNoUsageAddress);
  if (has_address && has_variable)
    section.fail("connectionString and connectionStringEnvVar are mutually exclusive");
  if (usage.is_embedded() && (has_address || has_variable))
    section.fail("clientType embedded uses no connection; remove it, or set clientType to prometheus");
}

}  // namespace

void read_usage_section(const Setting& section, UsageSettings& usage, UsageAddress address) {
  if (section.is_null()) return;
  std::optional<Setting> params, type;
  section.read_keys({{"clientType", [&](const Setting& s) { type = s; }},
                     {"connectionString", into_address(usage.connection_string)},
                     {"connectionStringEnvVar",
                      [&](const Setting& s) {
                        s.read(usage.connection_string_env_var);
                        usage.env_var_place = s.where();
                      }},
                     {"usageParams", [&](const Setting& s) { params = s; }}});
  if (!type || type->is_null()) section.fail("clientType is missing; set it to prometheus or embedded");
  if (type)
    into_choice<std::string>(usage.client_type, {{"prometheus", "prometheus"},
                                                 {"embedded", "embedded"},
                                                 {"fake", "fake"},
                                                 {"fake-with-history", "fake-with-history"}})(*type);
  check_connection(section, usage, address);
  if (!params) return;
  read_usage_params(*params, usage);
  if (usage.window_type == UsageWindow::kTumbling && !usage.tumbling_start)
    params->fail("windowType tumbling requires tumblingWindowStartTime");
  if (usage.window_type == UsageWindow::kCron && !usage.cron)
    params->fail("windowType cron requires cronString");
}

}  // namespace muster
