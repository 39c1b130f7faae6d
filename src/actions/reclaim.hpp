// Reclaim: takes resources that other queues use beyond their share for a pending job. actions.md 8.
#pragma once

#include <memory>

#include "engine/cycle/plugin.hpp"

namespace muster::actions {

std::unique_ptr<Action> make_reclaim();

}  // namespace muster::actions
