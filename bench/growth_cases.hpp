// What tenants can make many of, one case each: clusters of any size n for growth.cpp.
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
  int n = 100;  // the smallest that is measured
  std::function<void(int n, const ObjectSink& sink)> make;
  std::vector<std::string> actions = {};          // none: all of the default configuration
  std::optional<int> consolidation_victims = {};  // none: as in the default configuration; -1: any number
  int cycles = 1;
};

const std::vector<GrowthCase>& growth_cases();
Policy policy_of(const GrowthCase& growth);

}  // namespace muster::bench
