// Reads the configuration in snapshots of KAI-Scheduler and muster.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "config/kai_objects.hpp"
#include "config/sections.hpp"

namespace muster {
namespace {

// Sets parameters with other defaults to zero or false, because Go's JSON omits those values.
void set_values_omitted_by_go(SchedulerParams& params) {
  params.max_consolidation_preemptees = 0;
  params.default_staleness_grace_period = Duration::zero();
  params.full_hierarchy_fairness = false;
  params.allow_consolidating_reclaim = false;
  params.use_scheduling_signatures = false;
}

bool has_generator(const Config& config, const KnownNames& names) {
  return std::ranges::any_of(config.plugins, [&](const PluginConfig& plugin) {
    const auto known = std::ranges::find(names.plugins, plugin.name, &KnownComponent::name);
    return known != names.plugins.end() && !known->generator.empty();
  });
}

void add_generators(const KnownNames& names, LoadedConfig& loaded) {
  std::vector<std::string_view> added;
  for (const KnownComponent& known : names.plugins)
    if (!known.generator.empty() && !known.only_with_others) added.push_back(known.name);
  for (const std::string_view name : added) loaded.config.plugins.push_back({.name = std::string(name)});
  loaded.notes.push_back(
      fmt::format("the snapshot comes from a KAI-Scheduler with built-in scenario generators; plugins {} "
                  "were added to its configuration",
                  fmt::join(added, ", ")));
}

void read_config_member(const Setting& setting, const KnownNames& names, LoadedConfig& loaded) {
  if (setting.is_null()) return;
  bool has_budgets = false;
  setting.each_member([&](const std::string& key, const Setting&) {
    if (key == "scenarioSearchBudgets") has_budgets = true;
  });
  read_config(setting, names, loaded.config);
  for (PluginConfig& plugin : loaded.config.plugins)
    plugin.where = {};  // a program added them, so no location applies
  if (!has_budgets && !has_generator(loaded.config, names)) add_generators(names, loaded);
}

}  // namespace

LoadedConfig read_snapshot_config(const Document& snapshot, const KnownNames& names) {
  LoadedConfig loaded;
  const Setting root = Setting(snapshot, loaded.errors).with_go_durations();
  root.each_member([&](const std::string& key, const Setting& value) {
    if (key == "config") read_config_member(value, names, loaded);
    if (key != "schedulerParams" || value.is_null()) return;
    set_values_omitted_by_go(loaded.config.params);
    read_params(value, loaded.config.params);
  });
  loaded.warnings = std::move(loaded.errors);
  loaded.errors.clear();
  return loaded;
}

}  // namespace muster
