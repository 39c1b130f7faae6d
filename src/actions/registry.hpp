// The list of actions, and how the configuration turns into them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "engine/cycle/plugin.hpp"
#include "util/result.hpp"

namespace muster::actions {

// What a configuration may name.
std::vector<KnownComponent> known_actions();
// The configured actions in order. Bad arguments are appended to `errors`.
std::vector<std::shared_ptr<Action>> make_actions(const Config& config, std::vector<Error>& errors);

}  // namespace muster::actions
