// The meaning of configuration files, their defaults, and the exact error messages.
#include "config/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace muster {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

std::vector<std::string> texts(const std::vector<Error>& errors) {
  std::vector<std::string> out;
  for (const auto& error : errors) out.push_back(error.text());
  return out;
}

// A small sample of the names in the registries.
const KnownNames kNames{
    .plugins = {{.name = "predicates", .if_missing = "any node will do"},
                {"proportion", {"kValue", "relcaimerSaturationMultiplier"}},
                {"priority"},
                {"ray"},
                {"nodeplacement", {"gpu", "cpu"}},
                {"minruntime",
                 {"defaultPreemptMinRuntime", "defaultReclaimMinRuntime", "protectFromConsolidation"}},
                {.name = "sg-nodelocalgreedy", .generator = "NodeLocalGreedy"},
                {.name = "sg-multinodegang", .generator = "MultiNodeGang"}},
    .actions = {{"allocate"},
                {"consolidation"},
                {"requeue", {"defaultRequeueDelay", "contenders"}},
                {.name = "reclaim", .needs_generator = true},
                {"preempt"},
                {"stalegangeviction"}}};

Config good(std::string_view text) {
  const auto loaded = parse_config("c.yaml", text, kNames);
  EXPECT_THAT(texts(loaded.errors), IsEmpty()) << text;
  return loaded.config;
}

std::vector<std::string> complaints(std::string_view text) {
  return texts(parse_config("c.yaml", text, kNames).errors);
}

std::vector<std::string> names(const std::vector<PluginConfig>& plugins) {
  std::vector<std::string> out;
  for (const auto& plugin : plugins) out.push_back(plugin.name);
  return out;
}

const PluginConfig& plugin(const Config& config, std::string_view name) {
  for (const auto& candidate : config.plugins)
    if (candidate.name == name) return candidate;
  ADD_FAILURE() << "no plugin " << name;
  return config.plugins.front();
}

TEST(ConfigDefaults, AreTheDocumentedLists) {
  const Config config;
  EXPECT_THAT(config.actions,
              ElementsAre("allocate", "consolidation", "requeue", "reclaim", "preempt", "stalegangeviction"));
  EXPECT_THAT(
      names(config.plugins),
      ElementsAre("predicates", "proportion", "priority", "elastic", "kubeflow", "ray", "nodeavailability",
                  "gpusharingorder", "gpupack", "resourcetype", "subgrouporder", "taskorder", "nominatednode",
                  "dynamicresources", "nodeplacement", "fragmentation", "minruntime", "expectedruntime",
                  "topology", "snapshot", "sg-nodelocalgreedy", "sg-multinodegang"));
  EXPECT_THAT(plugin(config, "nodeplacement").arguments,
              ElementsAre(Pair("cpu", "binpack"), Pair("gpu", "binpack")));
  EXPECT_THAT(config.action_arguments, IsEmpty());
  EXPECT_THAT(config.queue_depth, IsEmpty());
  EXPECT_EQ(config.usage.client_type, "");
  EXPECT_EQ(config.params.compatibility, Compatibility());
}

TEST(ConfigDefaults, AreKaisFlags) {
  const SchedulerParams params;
  EXPECT_EQ(params.scheduler_name, "kai-scheduler");
  EXPECT_EQ(params.node_pool_label_key, "kai.scheduler/node-pool");
  EXPECT_EQ(params.partition_label_value, "");
  EXPECT_EQ(params.queue_label_key, "kai.scheduler/queue");
  EXPECT_EQ(params.resource_reservation_app_label, "kai-resource-reservation");
  EXPECT_EQ(params.cpu_worker_label_key, "node-role.kubernetes.io/cpu-worker");
  EXPECT_EQ(params.gpu_worker_label_key, "node-role.kubernetes.io/gpu-worker");
  EXPECT_EQ(params.mig_worker_label_key, "node-role.kubernetes.io/mig-enabled");
  EXPECT_EQ(params.schedule_period, 1s);
  EXPECT_EQ(params.default_staleness_grace_period, 60s);
  EXPECT_EQ(params.stuck_in_releasing_threshold, 2min);
  EXPECT_EQ(params.max_consolidation_preemptees, 16);
  EXPECT_FALSE(params.restrict_node_scheduling);
  EXPECT_TRUE(params.full_hierarchy_fairness);
  EXPECT_TRUE(params.allow_consolidating_reclaim);
  EXPECT_TRUE(params.use_scheduling_signatures);
  EXPECT_FALSE(params.schedule_csi_storage);
  EXPECT_FALSE(params.detailed_fit_errors);
  EXPECT_FALSE(params.update_pod_eviction_condition);
}

TEST(ConfigDefaults, ApplyToAnEmptyFile) {
  for (const char* text : {"", "\n", "---\n", "# nothing\n", "{}\n", "actions:\ntiers:\nschedulerParams:\n",
                           "apiVersion: v1\nkind: ConfigMap\ndata: {config.yaml: \"\"}\n"}) {
    const Config config = good(text);
    EXPECT_EQ(config.actions, default_actions()) << text;
    EXPECT_EQ(names(config.plugins), names(default_plugins())) << text;
  }
}

TEST(ConfigDefaults, ApplyToWhateverTheFileOmits) {
  const Config config = good("tiers: [{plugins: [{name: predicates}]}]\n");
  EXPECT_EQ(config.actions, default_actions());
  EXPECT_THAT(names(config.plugins), ElementsAre("predicates"));
  EXPECT_EQ(names(good("actions: allocate\n").plugins), names(default_plugins()));
}

TEST(ConfigDefaults, DoNotReplaceExplicitlyEmptyLists) {
  for (const char* text : {"actions: \"\"\ntiers: []\n", "actions: []\ntiers: [{plugins: []}]\n"}) {
    const Config config = good(text);
    EXPECT_THAT(config.actions, IsEmpty()) << text;
    EXPECT_THAT(config.plugins, IsEmpty()) << text;
  }
}

std::vector<std::string> warnings(std::string_view text) {
  return texts(parse_config("c.yaml", text, kNames).warnings);
}

TEST(ConfigWarnings, NameSettingsWithoutEffect) {
  EXPECT_THAT(warnings("actions: \"\"\n"),
              ElementsAre("c.yaml:1: actions: no actions are configured, so the scheduler does nothing"));
  EXPECT_THAT(warnings("actions: allocate, reclaim\ntiers:\n- plugins:\n  - name: ray\n"),
              ElementsAre("c.yaml:2: tiers: without plugin \"predicates\", any node will do",
                          "c.yaml:2: tiers: without a scenario generator (plugin sg-nodelocalgreedy or "
                          "sg-multinodegang), these actions evict nothing: reclaim"));
  EXPECT_THAT(warnings("tiers: []\n"), testing::SizeIs(2));
}

TEST(ConfigWarnings, AreOnlyGivenForMistakes) {
  for (const char* text :
       {"actions: allocate\n", "actions: allocate\ntiers: [{plugins: [{name: predicates}]}]\n",
        "actions: reclaim\ntiers: [{plugins: [{name: predicates}, {name: sg-multinodegang}]}]\n", "tiers:\n"})
    EXPECT_THAT(warnings(text), IsEmpty()) << text;
}

// In the style of KAI's operator: quoted actions, arguments as text, followed by budgets and depths.
constexpr std::string_view kOperatorFile =
    R"(actions: "allocate,consolidation, reclaim , preempt,stalegangeviction"
queueDepthPerAction:
  consolidation: 10
  reclaim: -1
tiers:
- plugins:
  - name: predicates
  - arguments:
      kValue: "0.5"
    name: proportion
  - name: priority
    disableJobOrder: false
- plugins:
  - arguments:
      defaultPreemptMinRuntime: 10m
    name: minruntime
  - arguments:
      cpu: binpack
      gpu: spread
    name: nodeplacement
usageDBConfig:
  clientType: prometheus
  connectionString: http://prometheus.monitoring:9090
  usageParams:
    halfLifePeriod: 12h
    windowSize: 1w
    windowType: tumbling
    tumblingWindowStartTime: 2025-06-01T00:00:00Z
    extraParams:
      usageQueryTimeout: 20s
)";

TEST(Config, ReadsTheOperatorsFile) {
  const Config config = good(kOperatorFile);
  EXPECT_THAT(config.actions,
              ElementsAre("allocate", "consolidation", "reclaim", "preempt", "stalegangeviction"));
  EXPECT_THAT(names(config.plugins),
              ElementsAre("predicates", "proportion", "priority", "minruntime", "nodeplacement"));
  EXPECT_THAT(plugin(config, "proportion").arguments, ElementsAre(Pair("kValue", "0.5")));
  EXPECT_THAT(plugin(config, "nodeplacement").arguments,
              ElementsAre(Pair("cpu", "binpack"), Pair("gpu", "spread")));
  EXPECT_THAT(config.queue_depth, ElementsAre(Pair("consolidation", 10)));
  EXPECT_EQ(config.usage.client_type, "prometheus");
  EXPECT_EQ(config.usage.connection_string, "http://prometheus.monitoring:9090");
  EXPECT_EQ(config.usage.window_type, UsageWindow::kTumbling);
  EXPECT_EQ(config.usage.window_size, 7 * 24h);
  EXPECT_EQ(config.usage.half_life, 12h);
  EXPECT_EQ(config.usage.fetch_interval, 1min);
  EXPECT_EQ(config.usage.tumbling_start, parse_time("2025-06-01T00:00:00Z"));
  EXPECT_EQ(config.usage.query_timeout, 20s);
  EXPECT_TRUE(config.usage.is_wanted());
}

TEST(Config, RemembersTheLinesOfPluginsAndArguments) {
  const Config config = good(kOperatorFile);
  const auto& proportion = plugin(config, "proportion");
  EXPECT_EQ(proportion.where.path, "tiers[0].plugins[1]");
  EXPECT_EQ(proportion.where.line, 8);
  EXPECT_EQ(proportion.argument_locations.at("kValue").path, "tiers[0].plugins[1].arguments.kValue");
  EXPECT_EQ(proportion.argument_locations.at("kValue").line, 9);
  EXPECT_EQ(proportion.argument_locations.at("kValue").file, "c.yaml");
}

TEST(Config, ReadsSchedulerParams) {
  const Config config = good(R"(---
actions: allocate, requeue
tiers:
- plugins:
  - name: predicates
schedulerParams:
  schedulerName: kai-scheduler-2
  maxNumberConsolidationPreemptees: -1
  allowConsolidatingReclaim: false
  globalDefaultStalenessGracePeriod: -1s
  useSchedulingSignatures: no
  fullHierarchyFairness: "off"
  stuckInReleasingThreshold: 2m30s
  restrictSchedulingNodes: yes
  scheduleCSIStorage: On
  queueLabelKey: example.com/queue
  dynamicResourceAllocation: false
  partitionParams: {NodePoolLabelKey: example.com/pool, NodePoolLabelValue: 7}
)");
  EXPECT_EQ(config.params.scheduler_name, "kai-scheduler-2");
  EXPECT_EQ(config.params.max_consolidation_preemptees, -1);
  EXPECT_FALSE(config.params.allow_consolidating_reclaim);
  EXPECT_EQ(config.params.default_staleness_grace_period, -1s);
  EXPECT_FALSE(config.params.use_scheduling_signatures);
  EXPECT_FALSE(config.params.full_hierarchy_fairness);
  EXPECT_EQ(config.params.stuck_in_releasing_threshold, 150s);
  EXPECT_TRUE(config.params.restrict_node_scheduling);
  EXPECT_TRUE(config.params.schedule_csi_storage);
  EXPECT_EQ(config.params.queue_label_key, "example.com/queue");
  EXPECT_FALSE(config.params.dynamic_resource_allocation);
  EXPECT_EQ(config.params.node_pool_label_key, "example.com/pool");
  EXPECT_EQ(config.params.partition_label_value, "7");
}

TEST(Config, AcceptsTheNamesOfTheFlags) {
  const Config config = good(
      "schedulerParams: {defaultStalenessGracePeriod: 10s, maxConsolidationPreemptees: 3, nodepoolLabelKey: "
      "pool,\n"
      "                  partitionLabelValue: a, restrictNodeScheduling: true, cpuWorkerNodeLabelKey: "
      "cpu}\n");
  EXPECT_EQ(config.params.default_staleness_grace_period, 10s);
  EXPECT_EQ(config.params.max_consolidation_preemptees, 3);
  EXPECT_EQ(config.params.node_pool_label_key, "pool");
  EXPECT_EQ(config.params.partition_label_value, "a");
  EXPECT_TRUE(config.params.restrict_node_scheduling);
  EXPECT_EQ(config.params.cpu_worker_label_key, "cpu");
}

TEST(Config, MatchesKeysInAnyLetterCase) {
  const Config config = good("Actions: allocate\nTIERS: [{Plugins: [{NAME: priority}]}]\n");
  EXPECT_THAT(config.actions, ElementsAre("allocate"));
  EXPECT_THAT(names(config.plugins), ElementsAre("priority"));
}

TEST(Config, TurnsScalarsOfArgumentsIntoText) {
  const Config config = good(
      "tiers: [{plugins: [{name: proportion, arguments: {kValue: 0.5, relcaimerSaturationMultiplier: 2}},\n"
      "                   {name: minruntime, arguments: {protectFromConsolidation: true,\n"
      "                                                  defaultReclaimMinRuntime: 1d}}]}]\n");
  EXPECT_THAT(plugin(config, "proportion").arguments,
              ElementsAre(Pair("kValue", "0.5"), Pair("relcaimerSaturationMultiplier", "2")));
  EXPECT_THAT(plugin(config, "minruntime").arguments,
              ElementsAre(Pair("defaultReclaimMinRuntime", "1d"), Pair("protectFromConsolidation", "true")));
}

TEST(Config, AcceptsActionsAsAList) {
  EXPECT_THAT(good("actions: [allocate, preempt]\n").actions, ElementsAre("allocate", "preempt"));
}

TEST(Config, ReadsArgumentsOfActions) {
  const Config config =
      good("actionArguments: {requeue: {defaultRequeueDelay: 30m, contenders: scheduling-order}}\n");
  EXPECT_THAT(config.action("requeue").arguments,
              ElementsAre(Pair("contenders", "scheduling-order"), Pair("defaultRequeueDelay", "30m")));
  EXPECT_THAT(config.action("reclaim").arguments, IsEmpty());
  EXPECT_EQ(config.action("reclaim").name, "reclaim");
}

TEST(Config, ReadsJson) {
  const auto loaded =
      parse_config("c.json", R"({"actions": "allocate", "queueDepthPerAction": {"allocate": 5}})", kNames);
  EXPECT_THAT(texts(loaded.errors), IsEmpty());
  EXPECT_THAT(loaded.config.actions, ElementsAre("allocate"));
  EXPECT_THAT(loaded.config.queue_depth, ElementsAre(Pair("allocate", 5)));
}

TEST(SearchLimits, HaveKaisDefaults) {
  const SearchLimits limits;
  EXPECT_EQ(limits.of_action("reclaim"), 5min);
  EXPECT_EQ(limits.of_generator("NodeLocalGreedy"), 30s);
  EXPECT_EQ(limits.of_generator("MultiNodeGang"), 2min);
  EXPECT_EQ(limits.of_generator("Exhaustive"), 2min);
  EXPECT_EQ(limits.job, 4min);
  EXPECT_EQ(limits.min_job_time, 0s);
}

TEST(SearchLimits, AreMergedKeyByKey) {
  const auto limits = good(R"(scenarioSearchBudgets:
  maxActionSearchDuration: {reclaim: 10s, preempt: 0s}
  maxGeneratorSearchDuration: {MultiNodeGang: 1m}
  minJobSearchDuration: 5s
)")
                          .search;
  EXPECT_EQ(limits.of_action("reclaim"), 10s);
  EXPECT_EQ(limits.of_action("preempt"), std::nullopt);
  EXPECT_EQ(limits.of_action("consolidation"), 5min);
  EXPECT_EQ(limits.of_generator("NodeLocalGreedy"), 30s);
  EXPECT_EQ(limits.of_generator("MultiNodeGang"), 1min);
  EXPECT_EQ(limits.min_job_time, 5s);
  EXPECT_EQ(limits.job, 4min);
}

TEST(Compatibility, KaiExactSetsAllOptions) {
  EXPECT_EQ(good("schedulerParams: {kaiExact: true}\n").params.compatibility, Compatibility::kai_exact());
  EXPECT_EQ(good("schedulerParams: {kaiExact: false}\n").params.compatibility, Compatibility());
}

TEST(Compatibility, ASingleOptionWinsOverKaiExact) {
  EXPECT_FALSE(
      good("schedulerParams: {compatibility: {trimVictims: false}}\n").params.compatibility.trim_victims);
  auto expected = Compatibility::kai_exact();
  expected.satisfaction_along_tree = true;
  EXPECT_EQ(good("schedulerParams: {compatibility: {satisfactionAlongTree: true}, kaiExact: true}\n")
                .params.compatibility,
            expected);
}

struct BadFile {
  std::string text;
  std::vector<std::string> errors;
};

const std::vector<BadFile> kBadNames = {
    {"actions: allocate\nteirs: []\n", {"c.yaml:2: teirs: unknown key; did you mean \"tiers\"?"}},
    {"metrics: {}\n", {"c.yaml:1: metrics: unknown key"}},
    {"actions: allocate, preemt\n",
     {"c.yaml:1: actions: unknown action \"preemt\"; did you mean \"preempt\"?"}},
    {"actions: allocate,\n", {"c.yaml:1: actions: unknown action \"\""}},
    {"tiers:\n- plugins:\n  - name: priority\n  - name: proporton\n",
     {"c.yaml:4: tiers[0].plugins[1].name: unknown plugin \"proporton\"; did you mean "
      "\"proportion\"?"}},
    {"tiers:\n- plugins:\n  - arguments: {}\n", {"c.yaml:3: tiers[0].plugins[0]: the plugin has no name"}},
    {"tiers:\n- plugins:\n  - name: ray\n- plugins:\n  - name: ray\n",
     {"c.yaml:5: tiers[1].plugins[0]: plugin \"ray\" is listed twice"}},
    {"tiers:\n- plugins:\n  - name: proportion\n    arguments:\n      kvalue: 1\n",
     {"c.yaml:5: tiers[0].plugins[0].arguments.kvalue: plugin \"proportion\" has no argument "
      "\"kvalue\"; did "
      "you mean \"kValue\"?"}},
    {"tiers:\n- plugins:\n  - name: ray\n    arguments: {x: 1}\n",
     {"c.yaml:4: tiers[0].plugins[0].arguments.x: plugin \"ray\" takes no arguments"}},
    {"tiers:\n- plugins:\n  - name: ray\n    disableJobOrdr: true\n",
     {"c.yaml:4: tiers[0].plugins[0].disableJobOrdr: unknown key; did you mean \"disableJobOrder\"?"}},
    {"actionArguments:\n  requeue:\n    defaultRequeDelay: 1m\n",
     {"c.yaml:3: actionArguments.requeue.defaultRequeDelay: action \"requeue\" has no argument "
      "\"defaultRequeDelay\"; did you mean \"defaultRequeueDelay\"?"}},
    {"actionArguments:\n  requeu: {}\n",
     {"c.yaml:2: actionArguments.requeu: unknown action \"requeu\"; did you mean \"requeue\"?"}},
    {"queueDepthPerAction:\n  alocate: 3\n",
     {"c.yaml:2: queueDepthPerAction.alocate: unknown action \"alocate\"; did you mean "
      "\"allocate\"?"}},
    {"scenarioSearchBudgets:\n  maxGeneratorSearchDuration:\n    MultinodeGang: 1m\n",
     {"c.yaml:3: scenarioSearchBudgets.maxGeneratorSearchDuration.MultinodeGang: unknown generator "
      "\"MultinodeGang\"; did you mean \"MultiNodeGang\"?"}},
    {"usageDBConfig:\n  clientType: prometeus\n",
     {"c.yaml:2: usageDBConfig.clientType: \"prometeus\" is not one of embedded, fake, "
      "fake-with-history, prometheus; did you mean \"prometheus\"?"}},
    {"usageDBConfig:\n  clientType: embedded\n  usageParams:\n    extraParams: {queryResolutoin: 1m}\n",
     {"c.yaml:4: usageDBConfig.usageParams.extraParams.queryResolutoin: unknown parameter "
      "\"queryResolutoin\"; did you mean \"queryResolution\"?"}},
    {"schedulerParams:\n  compatibility: {trimVictim: false}\n",
     {"c.yaml:2: schedulerParams.compatibility.trimVictim: unknown key; did you mean "
      "\"trimVictims\"?"}}};

const std::vector<BadFile> kBadValues = {
    {"schedulerParams:\n  useSchedulingSignatures: maybe\n",
     {"c.yaml:2: schedulerParams.useSchedulingSignatures: \"maybe\" is neither true nor false"}},
    {"schedulerParams:\n  stuckInReleasingThreshold: 120\n",
     {"c.yaml:2: schedulerParams.stuckInReleasingThreshold: \"120\" is not a duration (e.g. 90s, 1h30m, "
      "2d)"}},
    {"schedulerParams:\n  stuckInReleasingThreshold: -1m\n",
     {"c.yaml:2: schedulerParams.stuckInReleasingThreshold: \"-1m\" is negative"}},
    {"schedulerParams:\n  maxNumberConsolidationPreemptees: 1.5\n",
     {"c.yaml:2: schedulerParams.maxNumberConsolidationPreemptees: \"1.5\" is not a whole number"}},
    {"schedulerParams:\n  defaultStalenessGracePeriod: 1s\n  globalDefaultStalenessGracePeriod: 2s\n",
     {"c.yaml:3: schedulerParams.globalDefaultStalenessGracePeriod: was already given as "
      "\"defaultStalenessGracePeriod\""}},
    {"usageDBConfig:\n  clientType: embedded\n  usageParams:\n    tumblingWindowStartTime: monday\n",
     {"c.yaml:4: usageDBConfig.usageParams.tumblingWindowStartTime: \"monday\" is not a timestamp (e.g. "
      "2025-06-01T12:00:00Z)"}},
    {"scenarioSearchBudgets:\n  maxJobSearchDuration: 10s\n  minJobSearchDuration: 10s\n",
     {"c.yaml:1: scenarioSearchBudgets: minJobSearchDuration 10s must be less than "
      "maxJobSearchDuration "
      "10s"}},
    {"scenarioSearchBudgets:\n  maxActionSearchDuration: 10s\n",
     {"c.yaml:2: scenarioSearchBudgets.maxActionSearchDuration: expected a mapping, found a "
      "single value"}},
    {"tiers: priority\n", {"c.yaml:1: tiers: expected a list, found a single value"}},
    {"actions: {allocate: 1}\n", {"c.yaml:1: actions: expected a single value, found a mapping"}},
    {"schedulerParams: [1]\n", {"c.yaml:1: schedulerParams: expected a mapping, found a list"}},
    {"actions: allocate\n---\nactions: allocate\n",
     {"c.yaml:3: found several configurations: a scheduler's file on line 1, a scheduler's file on line 3; "
      "keep only one"}}};

std::string of_usage(const std::string& params) {
  return "usageDBConfig:\n  clientType: embedded\n  usageParams:\n    " + params + "\n";
}
std::vector<std::string> in_usage(const std::string& complaint) {
  return {"c.yaml:4: usageDBConfig.usageParams." + complaint};
}

const std::vector<BadFile> kBadUsage = {
    {"usageDBConfig: {}\n",
     {"c.yaml:1: usageDBConfig: clientType is missing; set it to prometheus or embedded"}},
    {"usageDBConfig:\n  clientType: prometheus\n",
     {"c.yaml:1: usageDBConfig: clientType prometheus requires connectionString or connectionStringEnvVar"}},
    {"usageDBConfig:\n  clientType: prometheus\n  connectionString: http://p\n  connectionStringEnvVar: P\n",
     {"c.yaml:1: usageDBConfig: connectionString and connectionStringEnvVar are mutually exclusive"}},
    {"usageDBConfig:\n  clientType: prometheus\n  connectionString: prometheus:9090\n",
     {"c.yaml:3: usageDBConfig.connectionString: is not an address such as "
      "http://prometheus.monitoring:9090"}},
    {"usageDBConfig:\n  clientType: embedded\n  connectionString: http://p\n",
     {"c.yaml:1: usageDBConfig: clientType embedded uses no connection; remove it, or set clientType to "
      "prometheus"}},
    {of_usage("windowSize: 0"), in_usage("windowSize: 0s is too short; the minimum is 1s")},
    {of_usage("windowSize: 530w"), in_usage("windowSize: 89040h0m0s is too long; the maximum is ten years")},
    {of_usage("windowSize: 7"), in_usage("windowSize: \"7\" is not a duration (e.g. 90s, 1h30m, 2d)")},
    {of_usage("fetchInterval: 10ms"), in_usage("fetchInterval: 10ms is too short; the minimum is 1s")},
    {of_usage("halfLifePeriod: -1h"), in_usage("halfLifePeriod: \"-1h\" is negative")},
    {of_usage("extraParams: {queryResolution: 0}"),
     in_usage("extraParams.queryResolution: 0s is too short; the minimum is 1ms")},
    {of_usage("cronString: 0 0 30 2 *"), in_usage("cronString: \"0 0 30 2 *\" never occurs")},
    {of_usage("windowType: cron"),
     {"c.yaml:3: usageDBConfig.usageParams: windowType cron requires cronString"}},
    {of_usage("windowType: tumbling"),
     {"c.yaml:3: usageDBConfig.usageParams: windowType tumbling requires tumblingWindowStartTime"}}};

TEST(Config, ReadsEmbeddedUsage) {
  const Config config = good(
      "usageDBConfig:\n  clientType: embedded\n  usageParams:\n    windowType: cron\n    cronString: "
      "'@daily'\n"
      "    halfLifePeriod: .5h\n    stalenessPeriod: 1d\n    extraParams: {gpuCapacityMetric: my_gpus}\n");
  EXPECT_TRUE(config.usage.is_embedded());
  EXPECT_EQ(config.usage.cron->text(), "0 0 * * *");
  EXPECT_EQ(config.usage.half_life, 30min);
  EXPECT_EQ(config.usage.staleness, 24h);
  EXPECT_EQ(config.usage.capacity_metrics[2], "my_gpus");
  EXPECT_FALSE(good("actions: allocate\n").usage.is_wanted());
}

TEST(ConfigErrors, NameFileLineAndKey) {
  for (const auto* table : {&kBadNames, &kBadValues, &kBadUsage})
    for (const BadFile& bad : *table) EXPECT_EQ(complaints(bad.text), bad.errors) << bad.text;
}

TEST(Config, ReportsAllErrorsInTheOrderOfTheFile) {
  EXPECT_THAT(complaints("actions: alocate\nqueueDepthPerAction: {reclaim: many}\nplugin: 1\n"),
              ElementsAre("c.yaml:1: actions: unknown action \"alocate\"; did you mean \"allocate\"?",
                          "c.yaml:2: queueDepthPerAction.reclaim: \"many\" is not a whole number",
                          "c.yaml:3: plugin: unknown key"));
}

TEST(Config, ReportsInvalidYaml) {
  const auto loaded = parse_config("c.yaml", "actions: [allocate\n", kNames);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.errors.front().where.file, "c.yaml");
}

TEST(LoadConfig, ReadsAFile) {
  const auto path = (std::filesystem::temp_directory_path() / "muster_config_test.yaml").string();
  std::ofstream(path) << "actions: allocate\n";
  const auto loaded = load_config(path, kNames);
  std::filesystem::remove(path);
  EXPECT_THAT(texts(loaded.errors), IsEmpty());
  EXPECT_THAT(loaded.config.actions, ElementsAre("allocate"));
}

TEST(LoadConfig, ReportsAMissingFile) {
  const auto loaded = load_config("no/such/file.yaml", kNames);
  ASSERT_EQ(loaded.errors.size(), 1u);
  EXPECT_THAT(loaded.errors.front().text(), testing::StartsWith("no/such/file.yaml"));
}

}  // namespace
}  // namespace muster
