// Limits on the search for victims. Limits in steps give the same decisions for the same input on any
// machine. Limits in time are a safeguard, checked between scenarios; a time of zero means no limit.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "util/time.hpp"

namespace muster {

// Names of the scenario generators in limits and reports.
inline constexpr const char* kNodeLocalGreedy = "NodeLocalGreedy";
inline constexpr const char* kMultiNodeGang = "MultiNodeGang";
inline constexpr const char* kDefragment = "Defragment";
inline constexpr const char* kExhaustiveGenerator = "Exhaustive";

struct SearchLimits {
  // Steps of the search for one job. A longer search continues in the next cycle.
  std::int64_t scenarios_per_job = 100'000;
  std::int64_t nodes_per_job = 200'000'000;
  // Steps of all searches of an action in one cycle: jobs, queues and nodes visited. The remaining jobs are
  // deferred and come first in the next cycle.
  std::int64_t steps_per_action = 200'000'000;
  std::size_t exhaustive_combinations = 4096;  // sets of victims that the exhaustive generator lists; 0: off
  // Scenarios of the exhaustive generator per cycle: the larger of `exhaustive_min_scenarios` and
  // `exhaustive_max_ratio` times the scenarios of the others.
  std::int64_t exhaustive_min_scenarios = 256, exhaustive_max_ratio = 8;
  Duration job = std::chrono::minutes(4);
  Duration min_job_time = Duration::zero();  // granted even after the action's time has run out
  // By name. "default" applies to names without an entry.
  std::map<std::string, Duration> actions = {{"default", std::chrono::minutes(5)}};
  std::map<std::string, Duration> generators = {{"default", std::chrono::minutes(2)},
                                                {kNodeLocalGreedy, std::chrono::seconds(30)},
                                                {kMultiNodeGang, std::chrono::minutes(2)}};

  // Returns nullopt if there is no limit.
  std::optional<Duration> of_action(const std::string& name) const;
  std::optional<Duration> of_generator(const std::string& name) const;
};

}  // namespace muster
