// Preempt: evicts jobs of lower priority in the same queue. actions.md 8.
#pragma once

#include <memory>

#include "engine/cycle/plugin.hpp"

namespace muster::actions {

std::unique_ptr<Action> make_preempt();

}  // namespace muster::actions
