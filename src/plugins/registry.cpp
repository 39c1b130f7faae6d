// The plugins by name. Nothing registers itself before main.
#include "plugins/registry.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "config/arguments.hpp"
#include "plugins/expected_runtime.hpp"
#include "plugins/generators.hpp"
#include "plugins/job_orders.hpp"
#include "plugins/min_runtime.hpp"
#include "plugins/node_scores.hpp"
#include "plugins/pod_affinity.hpp"
#include "plugins/predicates.hpp"
#include "plugins/proportion.hpp"

namespace muster::plugins {
namespace {

constexpr const char* kExhaustive = "sg-exhaustive";

using Make = std::function<std::unique_ptr<Plugin>()>;
using FromArguments = std::function<Make(const Arguments&)>;

FromArguments plain(std::unique_ptr<Plugin> (*make)()) {
  return [make](const Arguments&) { return Make(make); };
}

Make proportion_from(const Arguments& given) {
  ProportionOptions options;
  options.k_value = std::max(0.0, given.number("kValue", options.k_value));
  for (const char* spelling : {"relcaimerSaturationMultiplier", "reclaimerSaturationMultiplier"})
    options.saturation_multiplier = given.number_at_least(1, spelling, options.saturation_multiplier);
  return [options] { return make_proportion(options); };
}

Make node_placement_from(const Arguments& given) {
  NodePlacementOptions options;
  const auto strategy = [&](const char* key, Strategy otherwise) {
    return given.choice<Strategy>(key, {{"binpack", Strategy::kPack}, {"spread", Strategy::kSpread}},
                                  otherwise);
  };
  options.gpu = strategy("gpu", options.gpu);
  options.cpu = strategy("cpu", options.cpu);
  return [options] { return make_node_placement(options); };
}

Make min_runtime_from(const Arguments& given) {
  MinRuntimeOptions options;
  options.preempt = given.duration("defaultPreemptMinRuntime", options.preempt);
  options.reclaim = given.duration("defaultReclaimMinRuntime", options.reclaim);
  options.resolve = given.choice<ReclaimResolve>(
      "reclaimResolveMethod", {{"lca", ReclaimResolve::kLca}, {"queue", ReclaimResolve::kQueue}}, options.resolve);
  options.protect_from_consolidation = given.boolean("protectFromConsolidation", options.protect_from_consolidation);
  return [options] { return make_min_runtime(options); };
}

const std::map<std::string, FromArguments>& known() {
  static const std::map<std::string, FromArguments> plugins{
      {"predicates", [](const Arguments&) { return [] { return make_predicates({}); }; }},
      {"proportion", proportion_from},
      {"priority", plain(make_priority)},
      {"elastic", plain(make_elastic)},
      {"kubeflow", plain(make_kubeflow)},
      {"ray", plain(make_ray)},
      {"nodeavailability", plain(make_node_availability)},
      {"gpusharingorder", plain(make_gpu_sharing_order)},
      {"gpupack", plain(make_gpu_pack)},
      {"gpuspread", plain(make_gpu_spread)},
      {"resourcetype", plain(make_resource_type)},
      {"subgrouporder", plain(make_sub_group_order)},
      {"taskorder", plain(make_task_order)},
      {"nominatednode", plain(make_nominated_node)},
      {"nodeplacement", node_placement_from},
      {"podaffinity", plain(make_pod_affinity)},
      {"minruntime", min_runtime_from},
      {"expectedruntime", plain(make_expected_runtime)},
      {"sg-nodelocalgreedy", plain(make_node_local_greedy)},
      {"sg-multinodegang", plain(make_multi_node_gang)},
      {kExhaustive, plain(make_exhaustive)},
  };
  return plugins;
}

}  // namespace

bool is_available(const std::string& name) { return known().contains(name); }

namespace {

bool is_generator(const PluginFactory& plugin) { return plugin.name.starts_with("sg-"); }

// Stands behind the generators of the file, whatever these are; alone it does not.
void add_exhaustive(const Config& config, std::vector<PluginFactory>& plugins) {
  std::erase_if(plugins, [](const PluginFactory& p) { return p.name == kExhaustive; });
  const bool has_others = std::any_of(plugins.begin(), plugins.end(), is_generator);
  if (has_others && config.params.compatibility.exhaustive_generator)
    plugins.push_back({kExhaustive, make_exhaustive});
}

}  // namespace

std::vector<PluginFactory> make_plugins(const Config& config, std::vector<Error>& errors) {
  std::vector<PluginFactory> made;
  for (const PluginConfig& plugin : config.plugins) {
    const auto found = known().find(plugin.name);
    if (found == known().end()) continue;
    made.push_back({plugin.name, found->second(Arguments(plugin, errors))});
  }
  add_exhaustive(config, made);
  return made;
}

}  // namespace muster::plugins
