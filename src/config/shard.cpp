// Translates a SchedulingShard into the scheduler's configuration: docs/kai/kubernetes.md 1.5, 3.2.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "config/kai_objects.hpp"
#include "config/sections.hpp"
#include "config/usage_section.hpp"
#include "util/suggest.hpp"

namespace muster {
namespace {

constexpr const char* kBinpack = "binpack";
constexpr const char* kSpread = "spread";

// The flags of KAI's scheduler. Those that are not parameters only concern its own process.
constexpr auto kKaiFlags = std::to_array<std::string_view>({"scheduler-name",
                                                            "namespace",
                                                            "scheduler-conf",
                                                            "schedule-period",
                                                            "leader-elect",
                                                            "nodepool-label-key",
                                                            "partition-label-value",
                                                            "queue-label-key",
                                                            "resource-reservation-app-label",
                                                            "restrict-node-scheduling",
                                                            "full-hierarchy-fairness",
                                                            "max-consolidation-preemptees",
                                                            "allow-consolidating-reclaim",
                                                            "use-scheduling-signatures",
                                                            "schedule-csi-storage",
                                                            "default-staleness-grace-period",
                                                            "stuck-in-releasing-threshold",
                                                            "version",
                                                            "feature-gates",
                                                            "v",
                                                            "log-json",
                                                            "log-flush-frequency",
                                                            "qps",
                                                            "burst",
                                                            "listen-address",
                                                            "plugin-server-port",
                                                            "metrics-namespace",
                                                            "enable-profiler",
                                                            "profiler-port",
                                                            "pyroscope-address",
                                                            "pyroscope-mutex-profiler-rate",
                                                            "pyroscope-block-profiler-rate",
                                                            "detailed-fit-errors",
                                                            "update-pod-eviction-condition",
                                                            "num-of-status-recording-workers",
                                                            "cpu-worker-node-label-key",
                                                            "gpu-worker-node-label-key",
                                                            "mig-worker-node-label-key"});

// A plugin or action before it is added to the configuration.
struct Ranked {
  ComponentConfig component;
  bool is_enabled = true;
  int priority = 0;
};
using RankedByName = std::map<std::string, Ranked>;

RankedByName ranked(std::span<const DefaultComponent> defaults) {
  RankedByName all;
  for (const DefaultComponent& d : defaults)
    if (d.operator_priority > 0)
      all[std::string(d.name)] = {.component = {.name = std::string(d.name)},
                                  .priority = d.operator_priority};
  return all;
}

// The enabled ones by descending priority, then by name.
std::vector<ComponentConfig> in_order(const RankedByName& all) {
  std::vector<const Ranked*> enabled;
  for (const auto& [name, one] : all)
    if (one.is_enabled) enabled.push_back(&one);
  std::ranges::stable_sort(enabled, std::greater(), &Ranked::priority);
  std::vector<ComponentConfig> components;
  for (const Ranked* one : enabled) components.push_back(one->component);
  return components;
}

class Shard {
 public:
  Shard(const KnownNames& names, Config& config, std::vector<Error>& warnings)
      : plugins_{"plugin", names.plugins},
        actions_{"action", names.actions},
        names_(names),
        config_(config),
        warnings_(warnings) {}

  // Parts that depend on others are read by finish().
  void read(const Setting& spec) {
    std::vector<SettingKey> keys = plain_keys();
    for (const auto& [name, later] : {std::pair{"plugins", &plugin_changes_},
                                      {"actions", &action_changes_},
                                      {"args", &args_},
                                      {"queueDepthPerAction", &depths_}})
      keys.push_back({name, [later = later](const Setting& s) {
                        if (!s.is_null()) *later = s;
                      }});
    spec.read_keys(keys);
  }

  void finish() {
    follow_strategies();
    if (plugin_changes_) read_changes(*plugin_changes_, plugins_, by_plugin_, config_.places.plugins);
    if (action_changes_) read_changes(*action_changes_, actions_, by_action_, config_.places.actions);
    if (args_) read_args(*args_);
    config_.plugins = in_order(by_plugin_);
    config_.actions.clear();
    for (const ActionConfig& action : in_order(by_action_)) config_.actions.push_back(action.name);
    if (depths_) read_depths(*depths_);
  }

 private:
  std::vector<SettingKey> plain_keys() {
    return {{"partitionLabelValue", into(config_.params.partition_label_value)},
            {"placementStrategy", [&](const Setting& s) { read_strategies(s); }},
            {"minRuntime",
             [&](const Setting& s) {
               s.read_keys({{"preemptMinRuntime", argument("minruntime", "defaultPreemptMinRuntime")},
                            {"reclaimMinRuntime", argument("minruntime", "defaultReclaimMinRuntime")}});
             }},
            {"kValue", argument("proportion", "kValue")},
            {"usageDBConfig",
             placed(config_.places.usage,
                    [&](const Setting& s) { read_usage_section(s, config_.usage, UsageAddress::kLater); })},
            {"scenarioSearchBudgets", [&](const Setting& s) { read_limits(s, names_, config_.search); }},
            {"goMemLimit", ignored()},
            {"goMemLimitRatio", ignored()}};
  }

  SettingReader argument(const char* plugin, const char* name) {
    return [this, plugin, name](const Setting& setting) {
      const auto text = setting.text();
      if (!text) return;
      by_plugin_[plugin].component.arguments[name] = *text;
      by_plugin_[plugin].component.argument_locations[name] = setting.where();
    };
  }

  void read_strategies(const Setting& setting) {
    const auto strategy = [](std::string& target) {
      return into_choice<std::string>(target, {{kBinpack, kBinpack}, {kSpread, kSpread}});
    };
    setting.read_keys({{"gpu", strategy(gpu_)}, {"cpu", strategy(cpu_)}});
  }

  void follow_strategies() {
    const bool packs_gpus = gpu_ == kBinpack;
    by_plugin_["gpupack"].is_enabled = by_plugin_["gpusharingorder"].is_enabled = packs_gpus;
    by_plugin_["gpuspread"].is_enabled = !packs_gpus;
    by_plugin_["nodeplacement"].component.arguments = {{"gpu", gpu_}, {"cpu", cpu_}};
    by_action_["consolidation"].is_enabled = packs_gpus && cpu_ == kBinpack;
  }

  // Only plugins have arguments. Given arguments replace all others.
  static void read_change(const Setting& setting, const ComponentKind& species, const KnownComponent& known,
                          Ranked& one) {
    std::vector<SettingKey> keys{{"enabled", into(one.is_enabled)}, {"priority", into(one.priority)}};
    if (species.noun == "plugin")
      keys.push_back({"arguments", [&](const Setting& s) {
                        if (s.is_null()) return;
                        one.component.arguments.clear();
                        one.component.argument_locations.clear();
                        read_arguments(s, species, known, one.component);
                      }});
    setting.read_keys(keys);
  }

  static void read_changes(const Setting& setting, const ComponentKind& species, RankedByName& all,
                           Location& place) {
    place = setting.where();
    setting.each_member([&](const std::string& name, const Setting& change) {
      const KnownComponent* known = look_up(change, species, name);
      if (known == nullptr) return;
      Ranked& one = all[name];
      one.component.name = name;
      one.component.where = change.where();
      read_change(change, species, *known, one);
    });
  }

  // Like the operator, this ignores flags that do not exist, but with a warning.
  void read_args(const Setting& args) {
    const std::vector<SettingKey> parameters = parameter_keys(config_.params);
    args.each_member([&](const std::string& flag, const Setting& value) {
      if (std::ranges::find(kKaiFlags, flag) == kKaiFlags.end()) {
        warnings_.push_back({fmt::format("KAI-Scheduler has no flag --{}, so its operator drops it{}", flag,
                                         did_you_mean(flag, kKaiFlags)),
                             value.where()});
        return;
      }
      std::string name = flag;
      std::erase(name, '-');
      for (const SettingKey& parameter : parameters)
        if (parameter.is_called(name)) parameter.read(value);
    });
  }

  void read_depths(const Setting& depths) {
    read_queue_depth(depths, actions_, config_.queue_depth);
    depths.each_member([&](const std::string& action, const Setting& depth) {
      const bool is_known =
          std::ranges::find(actions_.known, action, &KnownComponent::name) != actions_.known.end();
      if (is_known && std::ranges::find(config_.actions, action) == config_.actions.end())
        depth.fail("the action is not enabled");
    });
  }

  const ComponentKind plugins_, actions_;
  const KnownNames& names_;
  Config& config_;
  std::vector<Error>& warnings_;
  RankedByName by_plugin_ = ranked(plugin_defaults()), by_action_ = ranked(action_defaults());
  std::string gpu_ = kBinpack, cpu_ = kBinpack;
  std::optional<Setting> plugin_changes_, action_changes_, args_, depths_;
};

}  // namespace

void read_shard(const Setting& root, const KnownNames& names, Config& config, std::vector<Error>& warnings) {
  Shard shard(names, config, warnings);
  root.read_keys({{"apiVersion", ignored()},
                  {"kind", ignored()},
                  {"metadata", ignored()},
                  {"status", ignored()},
                  {"spec", [&](const Setting& spec) { shard.read(spec); }}});
  shard.finish();
}

}  // namespace muster
