// Cases for growth.cpp: clusters of any size n, one case for each kind of object that tenants can create in
// large numbers.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "generate.hpp"
#include "scenarios.hpp"

namespace muster::bench {

struct GrowthCase {
  std::string name, what;
  int n = 100;  // the smallest size to measure
  std::function<void(int n, const ObjectSink& sink)> make;
  std::vector<std::string> actions = {};          // empty: all of the default configuration
  std::optional<int> consolidation_victims = {};  // nullopt: as in the default configuration; -1: no limit
  int cycles = 1;
};

const std::vector<GrowthCase>& growth_cases();
Policy policy_of(const GrowthCase& growth);

}  // namespace muster::bench
