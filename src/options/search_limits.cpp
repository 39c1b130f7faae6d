// Looks up a limit by name: its own entry, or else that of "default".
#include "options/search_limits.hpp"

namespace muster {
namespace {

std::optional<Duration> limit_of(const std::map<std::string, Duration>& limits, const std::string& name) {
  auto found = limits.find(name);
  if (found == limits.end()) found = limits.find("default");
  if (found == limits.end() || found->second == Duration::zero()) return std::nullopt;
  return found->second;
}

}  // namespace

std::optional<Duration> SearchLimits::of_action(const std::string& name) const {
  return limit_of(actions, name);
}

std::optional<Duration> SearchLimits::of_generator(const std::string& name) const {
  return limit_of(generators, name);
}

}  // namespace muster
