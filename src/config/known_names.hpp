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

  bool has_argument(std::string_view key) const {
    return std::ranges::find(arguments, key) != arguments.end();
  }
};

// In the order in which suggestions prefer them.
struct KnownNames {
  std::vector<KnownComponent> plugins, actions;
  std::vector<std::string_view> generators;  // of scenarios, that may have a search limit
};

}  // namespace muster
