// The names that a configuration may contain besides its keys. The registries of plugins and actions provide
// the lists and pass them to the reader of the file.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

namespace muster {

struct KnownComponent {
  std::string_view name;
  std::vector<std::string_view> arguments = {};
  // For a scenario generator: its name in search limits.
  std::string_view generator = {};
  bool only_with_others = false;  // for a generator: it has no effect alone
  // For a plugin that is rarely omitted on purpose: what happens without it.
  std::string_view if_missing = {};
  // For an action: it does nothing without a scenario generator.
  bool needs_generator = false;

  bool has_argument(std::string_view key) const {
    return std::ranges::find(arguments, key) != arguments.end();
  }
};

// The known names. If several match, a suggestion prefers the first.
struct KnownNames {
  std::vector<KnownComponent> plugins, actions;

  // Names of scenario generators that may have a search limit.
  std::vector<std::string_view> generators() const {
    std::vector<std::string_view> names;
    for (const KnownComponent& plugin : plugins)
      if (!plugin.generator.empty()) names.push_back(plugin.generator);
    return names;
  }
};

}  // namespace muster
