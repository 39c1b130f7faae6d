// PodDisruptionBudgets, as far as one must know them who evicts several pods at once: the API server looks at
// one pod at a time.
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
  std::int64_t allowed = 0;  // disruptions at this moment
};

// From a list of the API; what can not be read allows nothing.
std::vector<DisruptionBudget> budgets_in(std::string_view list);

// Which of these pods of one namespace may not go if all of them shall: as places in the list.
std::vector<std::size_t> protected_pods(std::span<const DisruptionBudget> budgets,
                                        std::span<const Labels> pods);

}  // namespace muster::serve
