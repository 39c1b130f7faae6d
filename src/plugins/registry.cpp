// The one list of plugins: name, arguments, and factory. Nothing registers itself before main.
#include "plugins/registry.hpp"

#include <algorithm>
#include <functional>
#include <sstream>

#include "config/arguments.hpp"
#include "plugins/devices/dynamic_resources.hpp"
#include "plugins/expected_runtime.hpp"
#include "plugins/fragmentation/fragmentation.hpp"
#include "plugins/generators/generators.hpp"
#include "plugins/job_orders.hpp"
#include "plugins/min_runtime.hpp"
#include "plugins/node_scores.hpp"
#include "plugins/numa/numa.hpp"
#include "plugins/pod_affinity.hpp"
#include "plugins/predicates/predicates.hpp"
#include "plugins/proportion/proportion.hpp"
#include "plugins/topology/topology.hpp"

namespace muster::plugins {
namespace {

using Make = std::function<std::unique_ptr<Plugin>()>;
using FromConfig = std::function<Make(const Arguments&, const SchedulerParams&)>;

FromConfig plain(std::unique_ptr<Plugin> (*make)()) {
  return [make](const Arguments&, const SchedulerParams&) { return Make(make); };
}

FromConfig with_arguments(Make (*make)(const Arguments&)) {
  return [make](const Arguments& given, const SchedulerParams&) { return make(given); };
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

Make fragmentation_from(const Arguments& given, const SchedulerParams& params) {
  FragmentationOptions options;
  options.weight = given.number_at_least(0, "weight", options.weight);
  if (!params.compatibility.avoid_fragments) options.weight = 0;
  return [options] { return make_fragmentation(options); };
}

Make min_runtime_from(const Arguments& given) {
  MinRuntimeOptions options;
  options.preempt = given.duration("defaultPreemptMinRuntime", options.preempt);
  options.reclaim = given.duration("defaultReclaimMinRuntime", options.reclaim);
  options.resolve = given.choice<ReclaimResolve>(
      "reclaimResolveMethod", {{"lca", ReclaimResolve::kLca}, {"queue", ReclaimResolve::kQueue}},
      options.resolve);
  options.protect_from_consolidation =
      given.boolean("protectFromConsolidation", options.protect_from_consolidation);
  return [options] { return make_min_runtime(options); };
}

// Splits "a, b" into a list.
std::vector<std::string> words_in(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  for (std::istringstream in(text); std::getline(in, word, ',');) {
    word.erase(0, word.find_first_not_of(' '));
    word.erase(word.find_last_not_of(' ') + 1);
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

Make numa_from(const Arguments& given) {
  NumaOptions options;
  options.ignored = words_in(given.text("ignoreList", ""));
  options.reconstruct_available = given.boolean("reconstructAvailable", options.reconstruct_available);
  return [options] { return make_numa(options); };
}

Make predicates_from(const Arguments&, const SchedulerParams& params) {
  const PredicatesOptions options{.account_storage = params.schedule_csi_storage};
  return [options] { return make_predicates(options); };
}

Make dynamic_resources_from(const Arguments&, const SchedulerParams& params) {
  const bool in_full = params.compatibility.device_claims_in_full;
  const DynamicResourcesOptions options{
      .enabled = params.dynamic_resource_allocation,
      .rules = {.admin_access = in_full, .alternatives = in_full, .taints = in_full},
      .queue_label = params.queue_label_key};
  return [options] { return make_dynamic_resources(options); };
}

constexpr const char* kExhaustive = "sg-exhaustive";
constexpr const char* kDefragmentation = "sg-defragment";
constexpr const char* kFragmentation = "fragmentation";

struct Registered {
  KnownComponent known;
  FromConfig make;  // null: the plugin decides nothing and is not created
};

const std::vector<Registered>& registered() {
  static const std::vector<Registered> plugins{
      {{.name = "predicates",
        .if_missing =
            "pods go to any node with room: selectors, affinity, taints, host ports and volumes are ignored"},
       predicates_from},
      {{.name = "proportion",
        .arguments = {"kValue", "relcaimerSaturationMultiplier",
                      "reclaimerSaturationMultiplier"},  // KAI's spelling first
        .if_missing = "queues have no shares, quotas or limits, and nothing is reclaimed"},
       with_arguments(proportion_from)},
      {{"priority"}, plain(make_priority)},
      {{"elastic"}, plain(make_elastic)},
      {{"kubeflow"}, plain(make_kubeflow)},
      {{"ray"}, plain(make_ray)},
      {{"nodeavailability"}, plain(make_node_availability)},
      {{"gpusharingorder"}, plain(make_gpu_sharing_order)},
      {{"gpupack"}, plain(make_gpu_pack)},
      {{"gpuspread"}, plain(make_gpu_spread)},
      {{"resourcetype"}, plain(make_resource_type)},
      {{"podaffinity"}, plain(make_pod_affinity)},
      {{"subgrouporder"}, plain(make_sub_group_order)},
      {{"taskorder"}, plain(make_task_order)},
      {{"nominatednode"}, plain(make_nominated_node)},
      {{"dynamicresources", {"maxCelCacheEntries"}}, dynamic_resources_from},
      {{"nodeplacement", {"gpu", "cpu"}}, with_arguments(node_placement_from)},
      {{kFragmentation, {"weight"}}, fragmentation_from},
      {{"minruntime",
        {"defaultPreemptMinRuntime", "defaultReclaimMinRuntime", "reclaimResolveMethod",
         "protectFromConsolidation"}},
       with_arguments(min_runtime_from)},
      {{"expectedruntime"}, plain(make_expected_runtime)},
      {{"topology"}, plain(make_topology)},
      {{"snapshot"}, nullptr},
      {{"numa", {"ignoreList", "reconstructAvailable"}}, with_arguments(numa_from)},
      {{"reflectjoborder"}, nullptr},
      {{.name = "sg-nodelocalgreedy", .generator = kNodeLocalGreedy}, plain(make_node_local_greedy)},
      {{.name = "sg-multinodegang", .generator = kMultiNodeGang}, plain(make_multi_node_gang)},
      {{.name = kDefragmentation, .generator = kDefragment, .only_with_others = true},
       plain(make_defragment)},
      {{.name = kExhaustive, .generator = kExhaustiveGenerator, .only_with_others = true},
       plain(make_exhaustive)},
  };
  return plugins;
}

const Registered* find(const std::string& name) {
  for (const Registered& plugin : registered())
    if (plugin.known.name == name) return &plugin;
  return nullptr;
}

bool is_generator(const PluginFactory& plugin) { return !find(plugin.name)->known.generator.empty(); }

// They come after the generators that the file names, and are dropped if it names none.
void add_our_generators(const Config& config, std::vector<PluginFactory>& plugins) {
  const Compatibility& ours = config.params.compatibility;
  std::erase_if(plugins,
                [](const PluginFactory& p) { return p.name == kExhaustive || p.name == kDefragmentation; });
  if (std::none_of(plugins.begin(), plugins.end(), is_generator)) return;
  if (ours.heal_fragments) plugins.push_back({kDefragmentation, make_defragment});
  if (ours.exhaustive_generator) plugins.push_back({kExhaustive, make_exhaustive});
}

bool spreads_gpus(const PluginConfig& plugin) {
  const auto strategy = plugin.arguments.find("gpu");
  return plugin.name == "gpuspread" || (plugin.name == "nodeplacement" &&
                                        strategy != plugin.arguments.end() && strategy->second == "spread");
}

// A configuration that spreads GPUs accepts fragmentation, so its plugin gets no weight.
std::vector<PluginConfig> without_conflicts(std::vector<PluginConfig> plugins) {
  if (std::any_of(plugins.begin(), plugins.end(), spreads_gpus))
    for (PluginConfig& plugin : plugins)
      if (plugin.name == kFragmentation) plugin.arguments["weight"] = "0";
  return plugins;
}

}  // namespace

std::vector<KnownComponent> known_plugins() {
  std::vector<KnownComponent> known;
  for (const Registered& plugin : registered()) known.push_back(plugin.known);
  return known;
}

std::vector<PluginFactory> make_plugins(const Config& config, std::vector<Error>& errors) {
  std::vector<PluginFactory> made;
  for (const PluginConfig& plugin : without_conflicts(config.plugins))
    if (const Registered* found = find(plugin.name); found != nullptr && found->make)
      made.push_back({plugin.name, found->make(Arguments(plugin, found->known, errors), config.params)});
  add_our_generators(config, made);
  return made;
}

std::vector<std::string> skipped_plugins(const Config& config) {
  std::vector<std::string> skipped;
  for (const PluginConfig& plugin : config.plugins)
    if (const Registered* found = find(plugin.name);
        !plugin.where.file.empty() && (found == nullptr || !found->make))
      skipped.push_back(plugin.name);
  return skipped;
}

}  // namespace muster::plugins
