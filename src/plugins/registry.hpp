// The list of plugins, and how the configuration turns into them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/config.hpp"
#include "engine/cycle/policy.hpp"
#include "util/result.hpp"

namespace muster::plugins {

// What a configuration may name.
std::vector<KnownComponent> known_plugins();
// The configured plugins in order. Bad arguments are appended to `errors`.
std::vector<PluginFactory> make_plugins(const Config& config, std::vector<Error>& errors);
// The plugins that a file names, that KAI has, and that decide nothing here, such as "snapshot".
std::vector<std::string> skipped_plugins(const Config& config);

}  // namespace muster::plugins
