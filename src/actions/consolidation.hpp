// Consolidation: moves running jobs together so that a waiting one fits; nobody loses its place.
// actions.md 11.1.
#pragma once

#include <memory>

#include "engine/cycle/plugin.hpp"

namespace muster::actions {

std::unique_ptr<Action> make_consolidation();

}  // namespace muster::actions
