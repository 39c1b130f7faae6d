// How far a search for victims goes. Steps make the same input give the same decisions on any machine; the
// times are an outer guard, checked between scenarios, and a time of zero is none.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "util/time.hpp"

namespace muster {

// Scenario generators, as limits and reports name them.
inline constexpr const char* kNodeLocalGreedy = "NodeLocalGreedy";
inline constexpr const char* kMultiNodeGang = "MultiNodeGang";
inline constexpr const char* kDefragment = "Defragment";
inline constexpr const char* kExhaustiveGenerator = "Exhaustive";

struct SearchLimits {
  // Steps of one job's search; beyond them it is taken up again in the next cycle.
  std::int64_t scenarios_per_job = 100'000;
  std::int64_t nodes_per_job = 200'000'000;
  // Steps of all searches of an action in one cycle: jobs, queues and nodes that are looked at. Those who are
  // left are put off, and come first in the next cycle.
  std::int64_t steps_per_action = 200'000'000;
  std::size_t exhaustive_combinations = 4096;  // of victims, that the complete generator lists; 0: it is off
  // Scenarios of it in one cycle: so many, or so many times what the others took, whichever is more.
  std::int64_t exhaustive_at_least = 256, exhaustive_share = 8;
  Duration job = std::chrono::minutes(4);
  Duration job_floor = Duration::zero();  // granted even where the action's time is used up
  // By name; "default" serves those that have no entry.
  std::map<std::string, Duration> actions = {{"default", std::chrono::minutes(5)}};
  std::map<std::string, Duration> generators = {{"default", std::chrono::minutes(2)},
                                                {kNodeLocalGreedy, std::chrono::seconds(30)},
                                                {kMultiNodeGang, std::chrono::minutes(2)}};

  // Nothing: no limit.
  std::optional<Duration> of_action(const std::string& name) const;
  std::optional<Duration> of_generator(const std::string& name) const;
};

}  // namespace muster
