// Plugin predicates: which nodes may take a task by node type, conditions, taints, node and pod affinity,
// host ports, pod slots, volumes, and amounts that no node could offer. placement.md 4, 9.
#pragma once

#include <memory>

#include "engine/cycle/plugin.hpp"

namespace muster::plugins {

struct PredicatesOptions {
  bool account_storage = false;  // scheduleCSIStorage: check the capacity left for new volumes
};

std::unique_ptr<Plugin> make_predicates(PredicatesOptions options = {});

}  // namespace muster::plugins
