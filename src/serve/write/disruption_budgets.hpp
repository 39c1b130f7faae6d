// Checks PodDisruptionBudgets for several pods that are evicted together. The API server checks only one pod
// at a time.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/object_parts.hpp"

namespace muster::serve {

struct DisruptionBudget {
  LabelSelector selector;
  std::int64_t allowed = 0;  // number of disruptions currently allowed
};

// Parses a list from the API server. A budget that cannot be parsed allows no disruption.
std::vector<DisruptionBudget> budgets_in(std::string_view list);

// Returns the indexes of the pods that the budgets protect if all `pods`, of one namespace, are evicted
// together.
std::vector<std::size_t> protected_pods(std::span<const DisruptionBudget> budgets,
                                        std::span<const Labels> pods);

}  // namespace muster::serve
