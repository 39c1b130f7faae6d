// The list of actions, and the instances that the configuration selects.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "engine/cycle/plugin.hpp"
#include "util/result.hpp"

namespace muster::actions {

// All actions that a configuration may name.
std::vector<KnownComponent> known_actions();
// The configured actions in order. Appends bad arguments to `errors`.
std::vector<std::shared_ptr<Action>> make_actions(const Config& config, std::vector<Error>& errors);

}  // namespace muster::actions
