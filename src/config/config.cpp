// What holds where the file says nothing.
#include "config/config.hpp"

namespace muster {
namespace {

std::optional<Duration> limit(const std::map<std::string, Duration>& limits, std::string_view name) {
  auto found = limits.find(std::string(name));
  if (found == limits.end()) found = limits.find("default");
  if (found == limits.end() || found->second == Duration::zero()) return std::nullopt;
  return found->second;
}

}  // namespace

std::optional<Duration> SearchBudgets::action_limit(std::string_view action) const {
  return limit(actions, action);
}

std::optional<Duration> SearchBudgets::generator_limit(std::string_view generator) const {
  return limit(generators, generator);
}

Compatibility Compatibility::kai_exact() {
  return {.trim_victims = false,
          .exhaustive_generator = false,
          .satisfaction_along_tree = false,
          .labels_decide_preemptibility = false,
          .elastic_by_active_tasks = false,
          .exact_consolidation_limit = false,
          .probes_try_all_tasks = false,
          .take_once = false,
          .device_claims_in_full = false,
          .join_claims_at_once = false,
          .protection_needs_minimum = false,
          .slots_for_new_groups = false,
          .sharing_score_needs_gpu = false,
          .memory_within_device = false,
          .required_level_above_common = false};
}

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
