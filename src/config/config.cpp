// The default actions and plugins, which hold where the file names none.
#include "config/config.hpp"

namespace muster {

std::vector<std::string> default_actions() {
  return {"allocate", "consolidation", "requeue", "reclaim", "preempt", "stalegangeviction"};
}

std::vector<PluginConfig> default_plugins() {
  std::vector<PluginConfig> plugins;
  for (const char* name : {"predicates",       "proportion",         "priority",
                           "elastic",          "kubeflow",           "ray",
                           "nodeavailability", "gpusharingorder",    "gpupack",
                           "resourcetype",     "subgrouporder",      "taskorder",
                           "nominatednode",    "dynamicresources",   "nodeplacement",
                           "minruntime",       "expectedruntime",    "topology",
                           "snapshot",         "sg-nodelocalgreedy", "sg-multinodegang"}) {
    plugins.push_back({.name = name});
    if (plugins.back().name == "nodeplacement")
      plugins.back().arguments = {{"cpu", "binpack"}, {"gpu", "binpack"}};
  }
  return plugins;
}

ActionConfig Config::action(const std::string& name) const {
  const auto found = action_arguments.find(name);
  if (found != action_arguments.end()) return found->second;
  return {.name = name};
}

}  // namespace muster
