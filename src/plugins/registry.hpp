// The list of plugins, and the factories that the configuration selects.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/config.hpp"
#include "engine/cycle/policy.hpp"
#include "util/result.hpp"

namespace muster::plugins {

// All plugins that a configuration may name.
std::vector<KnownComponent> known_plugins();
// The configured plugins in order. Appends bad arguments to `errors`.
std::vector<PluginFactory> make_plugins(const Config& config, std::vector<Error>& errors);
// The plugins that the file names and that KAI has but muster skips, such as "snapshot".
std::vector<std::string> skipped_plugins(const Config& config);

}  // namespace muster::plugins
