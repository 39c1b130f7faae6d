// Checks that a configuration is the same after writing and reading it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/config.hpp"

namespace muster {
namespace {

// All names of the default configuration, with the arguments used here.
KnownNames known_names() {
  KnownNames known;
  for (const DefaultComponent& plugin : plugin_defaults())
    known.plugins.push_back(
        {.name = plugin.name, .arguments = {"kValue", "cpu", "gpu", "defaultPreemptMinRuntime"}});
  known.plugins.push_back({.name = "one", .generator = "NodeLocalGreedy"});
  known.plugins.push_back({.name = "other", .generator = "MultiNodeGang"});
  for (const DefaultComponent& action : action_defaults())
    known.actions.push_back({.name = action.name, .arguments = {"defaultRequeueDelay"}});
  return known;
}

Config read(std::string_view text) {
  const auto loaded = parse_config("c.yaml", text, known_names());
  for (const Error& error : loaded.errors) ADD_FAILURE() << error.text() << " in " << text;
  return loaded.config;
}

std::vector<std::string> plugins_of(const Config& config) {
  std::vector<std::string> names;
  for (const PluginConfig& plugin : config.plugins) names.push_back(plugin.name);
  return names;
}

TEST(WrittenConfig, ReadsBackTheSame) {
  for (const char* text :
       {"", "actions: allocate\ntiers:\n- plugins: []\n",
        "actions: 'reclaim, allocate'\n"
        "tiers:\n- plugins:\n  - {name: proportion, arguments: {kValue: '0.5'}}\n  - {name: ray}\n"
        "- plugins: [{name: minruntime, arguments: {defaultPreemptMinRuntime: 1m30s}}]\n"
        "actionArguments: {requeue: {defaultRequeueDelay: 5m}}\n"
        "queueDepthPerAction: {reclaim: 3}\n"
        "scenarioSearchBudgets: {maxActionSearchDuration: {reclaim: 1.5s}, minJobSearchDuration: 1ms,\n"
        "  maxGeneratorSearchDuration: {default: 7s}, maxJobScenarios: 12, maxActionSteps: 13, "
        "maxExhaustiveCombinations: 0}\n"
        "schedulerParams: {schedulerName: mine, partitionLabelValue: a, schedulePeriod: 250ms, kaiExact: "
        "true,\n"
        "  defaultStalenessGracePeriod: -1s, maxConsolidationPreemptees: -1, restrictNodeScheduling: true,\n"
        "  compatibility: {takeOnce: true}}\n"}) {
    const Config config = read(text), again = read(text_of(config));
    EXPECT_EQ(text_of(again), text_of(config));
    EXPECT_EQ(again.actions, config.actions);
    EXPECT_EQ(plugins_of(again), plugins_of(config));
    EXPECT_EQ(again.queue_depth, config.queue_depth);
    EXPECT_EQ(again.search.generators, config.search.generators);
    EXPECT_EQ(again.search.min_job_time, config.search.min_job_time);
    EXPECT_EQ(again.search.scenarios_per_job, config.search.scenarios_per_job);
    EXPECT_EQ(again.search.steps_per_action, config.search.steps_per_action);
    EXPECT_EQ(again.params.scheduler_name, config.params.scheduler_name);
    EXPECT_EQ(again.params.default_staleness_grace_period, config.params.default_staleness_grace_period);
    EXPECT_EQ(again.params.restrict_node_scheduling, config.params.restrict_node_scheduling);
    EXPECT_EQ(again.params.compatibility, config.params.compatibility);
  }
}

}  // namespace
}  // namespace muster
