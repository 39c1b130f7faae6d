// Resolves the address of Prometheus from the file or the environment.
#include "usage/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace muster {

std::string problem_of_address(const std::string& address) {
  for (const std::string_view scheme : {"http://", "https://"})
    if (address.starts_with(scheme) && address.size() > scheme.size() && address[scheme.size()] != '/')
      return "";
  return "is not an address such as http://prometheus.monitoring:9090";  // not shown: it may hold a password
}

Result<std::string> usage_address(const UsageSettings& settings) {
  if (settings.connection_string_env_var.empty()) return settings.connection_string;
  const char* value = std::getenv(settings.connection_string_env_var.c_str());
  if (value == nullptr || *value == '\0')
    return Error{fmt::format("the variable {} is not set; set it to an address such as "
                             "http://prometheus.monitoring:9090",
                             settings.connection_string_env_var),
                 settings.env_var_place};
  if (const std::string problem = problem_of_address(value); !problem.empty())
    return Error{fmt::format("the value of {} {}", settings.connection_string_env_var, problem),
                 settings.env_var_place};
  return std::string(value);
}

Duration staleness_of(const UsageSettings& settings) {
  return std::max(settings.staleness, settings.fetch_interval);
}

}  // namespace muster
