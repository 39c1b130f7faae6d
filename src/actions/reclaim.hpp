// Reclaim: takes back for a waiting job what other queues hold beyond their share. actions.md 8.
#pragma once

#include <memory>

#include "engine/cycle/plugin.hpp"

namespace muster::actions {

std::unique_ptr<Action> make_reclaim();

}  // namespace muster::actions
