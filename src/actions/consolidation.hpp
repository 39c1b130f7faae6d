// Consolidation: moves running jobs together so that a pending one fits; every moved job is placed again.
// actions.md 11.1.
#pragma once

#include <memory>

#include "engine/cycle/plugin.hpp"

namespace muster::actions {

std::unique_ptr<Action> make_consolidation();

}  // namespace muster::actions
