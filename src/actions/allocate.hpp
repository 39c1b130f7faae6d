// Allocate: places pending jobs in order, as long as they fit. actions.md 8.2.
#pragma once

#include <memory>

#include "engine/cycle/plugin.hpp"

namespace muster::actions {

std::unique_ptr<Action> make_allocate();

}  // namespace muster::actions
