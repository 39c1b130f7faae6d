// Stale gang eviction: evicts a gang that has had fewer pods than its minimum for too long. actions.md 11.2.
#pragma once

#include <memory>

#include "engine/cycle/plugin.hpp"

namespace muster::actions {

std::unique_ptr<Action> make_stale_gang();

}  // namespace muster::actions
