// The names that a configuration may contain beside its keys. Whoever makes the components knows them: the
// registries of plugins and actions have the lists, and the reader of the file is handed them.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

namespace muster {

struct KnownComponent {
  std::string_view name;
  std::vector<std::string_view> arguments = {};
  // Of a plugin that is one: the scenario generator, as search limits name it.
  std::string_view generator = {};
  bool needs_others = false;  // of a generator: alone it does nothing
  // Of a plugin that hardly anybody leaves out on purpose: what happens then.
  std::string_view if_missing = {};
  // Of an action: it does nothing where there is no scenario generator.
  bool needs_generator = false;

  bool has_argument(std::string_view key) const {
    return std::ranges::find(arguments, key) != arguments.end();
  }
};

// In the order in which suggestions prefer them.
struct KnownNames {
  std::vector<KnownComponent> plugins, actions;

  // Of scenarios, that may have a search limit.
  std::vector<std::string_view> generators() const {
    std::vector<std::string_view> names;
    for (const KnownComponent& plugin : plugins)
      if (!plugin.generator.empty()) names.push_back(plugin.generator);
    return names;
  }
};

}  // namespace muster
