// Writes the configuration as a file that can be read again.
#include <nlohmann/json.hpp>

#include "config/sections.hpp"

namespace muster {
namespace {

using nlohmann::ordered_json;

template <class Value>
ordered_json value_json(const Value& value) {
  return value;
}
ordered_json value_json(const Duration& value) { return format_duration(value); }

ordered_json limits_json(const std::map<std::string, Duration>& limits) {
  ordered_json json = ordered_json::object();
  for (const auto& [name, limit] : limits) json[name] = format_duration(limit);
  return json;
}

ordered_json search_json(const SearchLimits& search) {
  return {{"maxActionSearchDuration", limits_json(search.actions)},
          {"maxGeneratorSearchDuration", limits_json(search.generators)},
          {"maxJobSearchDuration", format_duration(search.job)},
          {"minJobSearchDuration", format_duration(search.min_job_time)},
          {"maxJobScenarios", search.scenarios_per_job},
          {"maxJobNodes", search.nodes_per_job},
          {"maxActionSteps", search.steps_per_action},
          {"maxExhaustiveCombinations", search.exhaustive_combinations}};
}

ordered_json params_json(const SchedulerParams& params) {
  ordered_json json = ordered_json::object(), compatibility = ordered_json::object();
  each_parameter(params, [&](const ParameterName& name, const auto& value) {
    json[std::string(name.name)] = value_json(value);
  });
  for (const auto& [key, is_ours] : kCompatibilityOptions)
    compatibility[std::string(key)] = params.compatibility.*is_ours;
  json["compatibility"] = std::move(compatibility);
  return json;
}

}  // namespace

std::string text_of(const Config& config) {
  ordered_json plugins = ordered_json::array(), arguments = ordered_json::object();
  for (const PluginConfig& plugin : config.plugins)
    plugins.push_back({{"name", plugin.name}, {"arguments", plugin.arguments}});
  for (const auto& [name, action] : config.action_arguments) arguments[name] = action.arguments;
  const ordered_json json{{"actions", config.actions},
                          {"tiers", {{{"plugins", std::move(plugins)}}}},
                          {"actionArguments", std::move(arguments)},
                          {"queueDepthPerAction", config.queue_depth},
                          {"scenarioSearchBudgets", search_json(config.search)},
                          {"schedulerParams", params_json(config.params)}};
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace muster
