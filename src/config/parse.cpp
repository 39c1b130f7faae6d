// Reads each section of the configuration file into its part of Config.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/config.hpp"
#include "config/known_names.hpp"
#include "config/scalars.hpp"
#include "config/sections.hpp"
#include "config/setting.hpp"
#include "config/usage_section.hpp"
#include "document/document.hpp"
#include "util/suggest.hpp"

namespace muster {
namespace {

std::vector<std::string_view> names_of(std::span<const KnownComponent> known) {
  std::vector<std::string_view> names;
  for (const KnownComponent& component : known) names.push_back(component.name);
  return names;
}

std::string no_such_argument(const ComponentKind& species, const KnownComponent& known,
                             const std::string& argument) {
  if (known.arguments.empty()) return fmt::format("{} \"{}\" takes no arguments", species.noun, known.name);
  return fmt::format("{} \"{}\" has no argument \"{}\"{}", species.noun, known.name, argument,
                     did_you_mean(argument, known.arguments));
}

// The arguments are read last because the set of valid ones depends on the name.
std::optional<PluginConfig> read_plugin(const Setting& setting, const ComponentKind& species) {
  PluginConfig plugin{.where = setting.where()};
  std::optional<Setting> name, arguments;
  setting.read_keys({{"name", [&](const Setting& s) { name = s; }},
                     {"arguments", [&](const Setting& s) { arguments = s; }},
                     {"disableJobOrder", ignored_boolean()},
                     {"disableTaskOrder", ignored_boolean()},
                     {"disablePreemptable", ignored_boolean()},
                     {"disableReclaimable", ignored_boolean()},
                     {"disableQueueOrder", ignored_boolean()},
                     {"disablePredicate", ignored_boolean()},
                     {"disableNodeOrder", ignored_boolean()}});
  if (name) name->read(plugin.name);
  if (plugin.name.empty()) {
    setting.fail("the plugin has no name");
    return std::nullopt;
  }
  const KnownComponent* known = look_up(*name, species, plugin.name);
  if (!known) return std::nullopt;
  if (arguments) read_arguments(*arguments, species, *known, plugin);
  return plugin;
}

void append_plugin(const Setting& setting, const ComponentKind& species, std::vector<PluginConfig>& plugins) {
  auto plugin = read_plugin(setting, species);
  if (!plugin) return;
  if (std::ranges::find(plugins, plugin->name, &PluginConfig::name) != plugins.end())
    return setting.fail(fmt::format("plugin \"{}\" is listed twice", plugin->name));
  plugins.push_back(std::move(*plugin));
}

void read_tiers(const Setting& setting, const ComponentKind& species, std::vector<PluginConfig>& plugins) {
  std::vector<PluginConfig> listed;
  setting.each_element([&](const Setting& tier) {
    tier.read_keys({{"plugins", [&](const Setting& list) {
                       list.each_element(
                           [&](const Setting& plugin) { append_plugin(plugin, species, listed); });
                     }}});
  });
  if (setting.is_list()) plugins = std::move(listed);
}

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

// Appends the names of a comma-separated list such as "allocate, reclaim".
void append_actions(const Setting& setting, const ComponentKind& species, std::vector<std::string>& actions) {
  const std::string text = setting.text().value_or("");
  if (trimmed(text).empty()) return;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view name = trimmed(std::string_view(text).substr(begin, end - begin));
    if (look_up(setting, species, name)) actions.emplace_back(name);
    begin = end + 1;
  }
}

void read_actions(const Setting& setting, const ComponentKind& species, std::vector<std::string>& actions) {
  std::vector<std::string> listed;
  if (setting.is_list()) {
    setting.each_element([&](const Setting& element) { append_actions(element, species, listed); });
  } else {
    append_actions(setting, species, listed);
  }
  if (!setting.is_null()) actions = std::move(listed);
}

void read_action_arguments(const Setting& setting, const ComponentKind& species,
                           std::map<std::string, ActionConfig>& actions) {
  setting.each_member([&](const std::string& name, const Setting& arguments) {
    const KnownComponent* known = look_up(arguments, species, name);
    if (!known) return;
    ActionConfig action{.name = name, .where = arguments.where()};
    read_arguments(arguments, species, *known, action);
    actions[name] = std::move(action);
  });
}

// Reads a mapping of names to limits. Names that are not mentioned keep their defaults.
SettingReader into_limits(std::map<std::string, Duration>& limits, std::string_view noun,
                          std::vector<std::string_view> known) {
  return [&limits, noun, known = std::move(known)](const Setting& setting) {
    setting.each_member([&](const std::string& name, const Setting& value) {
      if (std::ranges::find(known, name) == known.end())
        return value.fail(fmt::format("unknown {} \"{}\"{}", noun, name, did_you_mean(name, known)));
      value.read_non_negative(limits.try_emplace(name).first->second);
    });
  };
}

std::vector<std::string_view> and_default(std::vector<std::string_view> names) {
  names.push_back("default");
  return names;
}

template <class Count>
SettingReader into_count(Count& target) {
  return [&target](const Setting& setting) {
    int given = static_cast<int>(target);
    setting.read(given);
    if (given < 0) return setting.fail(fmt::format("{} is negative", given));
    target = static_cast<Count>(given);
  };
}

void read_compatibility(const Setting& setting, Compatibility& options) {
  std::vector<SettingKey> keys;
  for (const auto& [key, is_ours] : kCompatibilityOptions) keys.push_back({key, into(options.*is_ours)});
  setting.read_keys(keys);
}

void read_partition(const Setting& setting, SchedulerParams& params) {
  setting.read_keys({{"nodePoolLabelKey", into(params.node_pool_label_key)},
                     {"nodePoolLabelValue", into(params.partition_label_value)}});
}

}  // namespace

const KnownComponent* look_up(const Setting& setting, const ComponentKind& species, std::string_view name) {
  const auto found = std::ranges::find(species.known, name, &KnownComponent::name);
  if (found != species.known.end()) return &*found;
  setting.fail(
      fmt::format("unknown {} \"{}\"{}", species.noun, name, did_you_mean(name, names_of(species.known))));
  return nullptr;
}

void read_arguments(const Setting& setting, const ComponentKind& species, const KnownComponent& known,
                    ComponentConfig& component) {
  setting.each_member([&](const std::string& name, const Setting& value) {
    if (!known.has_argument(name)) return value.fail(no_such_argument(species, known, name));
    const auto text = value.text();
    if (!text) return;
    component.arguments[name] = *text;
    component.argument_locations[name] = value.where();
  });
}

void read_queue_depth(const Setting& setting, const ComponentKind& species,
                      std::map<std::string, int>& depths) {
  setting.each_member([&](const std::string& action, const Setting& value) {
    if (!look_up(value, species, action)) return;
    int depth = -1;
    value.read(depth);
    if (depth >= 0) depths[action] = depth;
  });
}

void read_limits(const Setting& setting, const KnownNames& names, SearchLimits& limits) {
  setting.read_keys({{"maxActionSearchDuration",
                      into_limits(limits.actions, "action", and_default(names_of(names.actions)))},
                     {"maxGeneratorSearchDuration",
                      into_limits(limits.generators, "generator", and_default(names.generators()))},
                     {"maxJobSearchDuration", into_non_negative(limits.job)},
                     {"minJobSearchDuration", into_non_negative(limits.min_job_time)},
                     {"maxJobScenarios", into_count(limits.scenarios_per_job)},
                     {"maxJobNodes", into_count(limits.nodes_per_job)},
                     {"maxActionSteps", into_count(limits.steps_per_action)},
                     {"maxExhaustiveCombinations", into_count(limits.exhaustive_combinations)}});
  if (limits.job != Duration::zero() && limits.min_job_time >= limits.job)
    setting.fail(fmt::format("minJobSearchDuration {} must be less than maxJobSearchDuration {}",
                             format_duration(limits.min_job_time), format_duration(limits.job)));
}

std::vector<SettingKey> parameter_keys(SchedulerParams& params) {
  std::vector<SettingKey> keys;
  each_parameter(params, [&]<class Value>(const ParameterName& name, Value& value) {
    SettingReader read = into(value);
    if constexpr (std::is_same_v<Value, Duration>)
      if (name.is_non_negative) read = into_non_negative(value);
    keys.push_back({name.name, std::move(read), name.other});
  });
  return keys;
}

// A single compatibility option overrides kaiExact, in any order in the file.
void read_params(const Setting& setting, SchedulerParams& params) {
  bool kai_exact = false;
  std::optional<Setting> compatibility;
  std::vector<SettingKey> keys = parameter_keys(params);
  keys.push_back({"partitionParams", [&](const Setting& s) { read_partition(s, params); }});
  keys.push_back({"kaiExact", into(kai_exact)});
  keys.push_back({"compatibility", [&](const Setting& s) { compatibility = s; }});
  setting.read_keys(keys);
  if (kai_exact) params.compatibility = Compatibility::kai_exact();
  if (compatibility) read_compatibility(*compatibility, params.compatibility);
}

void read_config(const Setting& root, const KnownNames& names, Config& config) {
  const ComponentKind plugins{"plugin", names.plugins}, actions{"action", names.actions};
  root.read_keys(
      {{"actions",
        placed(config.places.actions, [&](const Setting& s) { read_actions(s, actions, config.actions); })},
       {"tiers",
        placed(config.places.plugins, [&](const Setting& s) { read_tiers(s, plugins, config.plugins); })},
       {"actionArguments",
        [&](const Setting& s) { read_action_arguments(s, actions, config.action_arguments); }},
       {"queueDepthPerAction", [&](const Setting& s) { read_queue_depth(s, actions, config.queue_depth); }},
       {"scenarioSearchBudgets", [&](const Setting& s) { read_limits(s, names, config.search); }},
       {"usageDBConfig",
        placed(config.places.usage, [&](const Setting& s) { read_usage_section(s, config.usage); })},
       {"schedulerParams", [&](const Setting& s) { read_params(s, config.params); }}});
}

}  // namespace muster
