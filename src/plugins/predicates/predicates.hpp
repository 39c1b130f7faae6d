// Which nodes may take a task: node type, conditions, taints, node and pod affinity, host ports, pod slots,
// volumes, and what no node could ever offer. placement.md 4, 9.
#pragma once

#include <memory>

#include "engine/cycle/plugin.hpp"

namespace muster::plugins {

struct PredicatesOptions {
  bool account_storage = false;  // room for new volumes is counted here: scheduleCSIStorage
};

std::unique_ptr<Plugin> make_predicates(PredicatesOptions options = {});

}  // namespace muster::plugins
