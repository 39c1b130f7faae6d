// One table of all names; a plugin or an action that learns an argument gets it here.
#include "config/known_names.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace muster {

const std::vector<KnownComponent>& known_plugins() {
  static const std::vector<KnownComponent> kPlugins = {
      {"predicates", {}},
      {"proportion",
       {"kValue", "relcaimerSaturationMultiplier", "reclaimerSaturationMultiplier"}},  // KAI's spelling first
      {"priority", {}},
      {"elastic", {}},
      {"kubeflow", {}},
      {"ray", {}},
      {"nodeavailability", {}},
      {"gpusharingorder", {}},
      {"gpupack", {}},
      {"gpuspread", {}},
      {"resourcetype", {}},
      {"podaffinity", {}},
      {"subgrouporder", {}},
      {"taskorder", {}},
      {"nominatednode", {}},
      {"dynamicresources", {"maxCelCacheEntries"}},
      {"nodeplacement", {"gpu", "cpu"}},
      {"minruntime",
       {"defaultPreemptMinRuntime", "defaultReclaimMinRuntime", "reclaimResolveMethod",
        "protectFromConsolidation"}},
      {"expectedruntime", {}},
      {"topology", {}},
      {"snapshot", {}},
      {"numa", {"ignoreList", "reconstructAvailable"}},
      {"reflectjoborder", {}},
      {"sg-nodelocalgreedy", {}},
      {"sg-multinodegang", {}},
      {"sg-exhaustive", {}},
  };
  return kPlugins;
}

const std::vector<KnownComponent>& known_actions() {
  static const std::vector<KnownComponent> kActions = {
      {"allocate", {}}, {"consolidation", {}}, {"requeue", {"defaultRequeueDelay", "contenders", "dryRun"}},
      {"reclaim", {}},  {"preempt", {}},       {"stalegangeviction", {}},
  };
  return kActions;
}

std::span<const std::string_view> known_generators() {
  static constexpr std::array<std::string_view, 4> kGenerators = {"default", "NodeLocalGreedy",
                                                                  "MultiNodeGang", "Exhaustive"};
  return kGenerators;
}

std::span<const std::string_view> known_usage_params() {
  static constexpr std::array<std::string_view, 8> kParams = {
      "usageQueryTimeout",      "queryResolution",   "gpuAllocationMetric", "cpuAllocationMetric",
      "memoryAllocationMetric", "gpuCapacityMetric", "cpuCapacityMetric",   "memoryCapacityMetric"};
  return kParams;
}

const KnownComponent* find_component(std::span<const KnownComponent> known, std::string_view name) {
  const auto found = std::ranges::find(known, name, &KnownComponent::name);
  return found == known.end() ? nullptr : &*found;
}

std::vector<std::string_view> names_of(std::span<const KnownComponent> known) {
  std::vector<std::string_view> names;
  std::ranges::transform(known, std::back_inserter(names), &KnownComponent::name);
  return names;
}

}  // namespace muster
