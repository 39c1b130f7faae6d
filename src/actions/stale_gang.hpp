// Stale gang eviction: evicts a gang that lost part of its minimum and does not get it back. actions.md 11.2.
#pragma once

#include <memory>

#include "engine/cycle/plugin.hpp"

namespace muster::actions {

std::unique_ptr<Action> make_stale_gang();

}  // namespace muster::actions
