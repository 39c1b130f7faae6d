// The list of plugins, and how the configuration turns into them.
#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "engine/cycle/policy.hpp"
#include "util/result.hpp"

namespace muster::plugins {

// A configuration may name plugins that are not built yet; they are skipped.
bool is_available(const std::string& name);
// The configured plugins in order. Bad arguments are appended to `errors`.
std::vector<PluginFactory> make_plugins(const Config& config, std::vector<Error>& errors);

}  // namespace muster::plugins
