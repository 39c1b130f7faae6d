// The default actions and plugins, used if the file names none.
#include "config/config.hpp"

#include <array>

namespace muster {

namespace {

constexpr std::array kActions = {
    DefaultComponent{"allocate", 500}, DefaultComponent{"consolidation", 400},
    DefaultComponent{"requeue"},       DefaultComponent{"reclaim", 300},
    DefaultComponent{"preempt", 200},  DefaultComponent{"stalegangeviction", 100}};

constexpr std::array kPlugins = {DefaultComponent{"predicates", 1900},
                                 DefaultComponent{"proportion", 1800},
                                 DefaultComponent{"priority", 1700},
                                 DefaultComponent{"elastic", 1300},
                                 DefaultComponent{"kubeflow", 1200},
                                 DefaultComponent{"ray", 1100},
                                 DefaultComponent{"nodeavailability", 1600},
                                 DefaultComponent{"gpusharingorder", 100},
                                 DefaultComponent{"gpupack", 300},
                                 DefaultComponent{"gpuspread", 300, false},
                                 DefaultComponent{"resourcetype", 1500},
                                 DefaultComponent{"podaffinity", 1400, false},
                                 DefaultComponent{"subgrouporder", 1000},
                                 DefaultComponent{"taskorder", 900},
                                 DefaultComponent{"nominatednode", 800},
                                 DefaultComponent{"dynamicresources", 700},
                                 DefaultComponent{"nodeplacement", 200},
                                 DefaultComponent{"fragmentation"},
                                 DefaultComponent{"minruntime", 600},
                                 DefaultComponent{"expectedruntime"},
                                 DefaultComponent{"topology", 500},
                                 DefaultComponent{"snapshot", 400},
                                 DefaultComponent{"sg-nodelocalgreedy", 360},
                                 DefaultComponent{"sg-multinodegang", 350}};

}  // namespace

std::span<const DefaultComponent> plugin_defaults() { return kPlugins; }
std::span<const DefaultComponent> action_defaults() { return kActions; }

std::vector<std::string> default_actions() {
  std::vector<std::string> actions;
  for (const DefaultComponent& action : kActions)
    if (action.is_default) actions.emplace_back(action.name);
  return actions;
}

std::vector<PluginConfig> default_plugins() {
  std::vector<PluginConfig> plugins;
  for (const DefaultComponent& plugin : kPlugins) {
    if (!plugin.is_default) continue;
    plugins.push_back({.name = std::string(plugin.name)});
    if (plugin.name == "nodeplacement") plugins.back().arguments = {{"cpu", "binpack"}, {"gpu", "binpack"}};
  }
  return plugins;
}

ActionConfig Config::action(const std::string& name) const {
  const auto found = action_arguments.find(name);
  if (found != action_arguments.end()) return found->second;
  return {.name = name};
}

}  // namespace muster
