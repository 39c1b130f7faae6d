// The names a configuration may contain beside its keys: actions, plugins, their arguments, generators.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace muster {

struct KnownComponent {
  std::string_view name;
  std::vector<std::string_view> arguments;
};

const std::vector<KnownComponent>& known_plugins();
const std::vector<KnownComponent>& known_actions();
// Scenario generators that may have a search budget, and "default".
std::span<const std::string_view> known_generators();
// Parameters of the usage database's client.
std::span<const std::string_view> known_usage_params();

// Null if there is none of that name.
const KnownComponent* find_component(std::span<const KnownComponent> known, std::string_view name);
std::vector<std::string_view> names_of(std::span<const KnownComponent> known);

}  // namespace muster
