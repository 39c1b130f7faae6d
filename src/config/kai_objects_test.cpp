// Each of KAI-Scheduler's own objects gives the same configuration as the equivalent scheduler file.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/config.hpp"
#include "document/texts.hpp"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

KnownNames all_names() {
  KnownNames names;
  for (const DefaultComponent& plugin : plugin_defaults()) names.plugins.push_back({plugin.name});
  names.plugins.push_back({"numa"});
  for (KnownComponent& plugin : names.plugins) {
    if (plugin.name == "proportion") plugin.arguments = {"kValue", "reclaimerSaturationMultiplier"};
    if (plugin.name == "nodeplacement") plugin.arguments = {"gpu", "cpu"};
    if (plugin.name == "minruntime")
      plugin.arguments = {"defaultPreemptMinRuntime", "defaultReclaimMinRuntime"};
    if (plugin.name.starts_with("sg-")) plugin.generator = plugin.name;
  }
  for (const DefaultComponent& action : action_defaults()) names.actions.push_back({action.name});
  return names;
}

// The whole configuration except for locations.
std::string summary_of(const Config& config) {
  std::string text = fmt::format("actions {}\n", fmt::join(config.actions, ", "));
  for (const PluginConfig& plugin : config.plugins) {
    text += plugin.name;
    for (const auto& [name, value] : plugin.arguments) text += fmt::format(" {}={}", name, value);
    text += "\n";
  }
  for (const auto& [action, depth] : config.queue_depth) text += fmt::format("depth {} {}\n", action, depth);
  for (const auto& [name, limit] : config.search.actions)
    text += fmt::format("search {} {}\n", name, format_duration(limit));
  const UsageSettings& usage = config.usage;
  text += fmt::format("usage {} {} {} {}\n", usage.client_type, usage.connection_string,
                      format_duration(usage.window_size), format_duration(usage.half_life));
  const SchedulerParams& p = config.params;
  text += fmt::format("names {} {} {} {} {}\n", p.scheduler_name, p.node_pool_label_key,
                      p.partition_label_value, p.queue_label_key, p.resource_reservation_app_label);
  text += fmt::format("times {} {} {}\n", format_duration(p.schedule_period),
                      format_duration(p.default_staleness_grace_period),
                      format_duration(p.stuck_in_releasing_threshold));
  return text + fmt::format("flags {} {} {} {} {} {} {}\n", p.max_consolidation_preemptees,
                            p.restrict_node_scheduling, p.full_hierarchy_fairness,
                            p.allow_consolidating_reclaim, p.use_scheduling_signatures,
                            p.schedule_csi_storage, p.detailed_fit_errors);
}

std::vector<std::string> lines(const std::vector<Error>& errors) {
  std::vector<std::string> out;
  for (const Error& error : errors) out.push_back(error.text());
  return out;
}

LoadedConfig loaded(std::string_view text, const std::string& name = "c.yaml") {
  return parse_config(name, text, all_names());
}

std::string config_of(std::string_view text) {
  const LoadedConfig config = loaded(text);
  EXPECT_THAT(lines(config.errors), IsEmpty()) << text;
  return summary_of(config.config);
}

std::vector<std::string> complaints_about(std::string_view text) { return lines(loaded(text).errors); }

constexpr const char* kShard = "apiVersion: kai.scheduler/v1\nkind: SchedulingShard\nmetadata: {name: s}\n";
constexpr const char* kKaiConfig =
    "apiVersion: kai.scheduler/v1\nkind: Config\nmetadata: {name: kai-config}\n";

std::string shard(const std::string& spec) { return std::string(kShard) + "spec:\n" + spec; }

constexpr const char* kOperatorActions =
    "actions: allocate, consolidation, reclaim, preempt, stalegangeviction\n";
// The operator's plugins before those that depend on the placement strategy.
constexpr const char* kOperatorPlugins = R"(tiers:
- plugins:
  - {name: predicates}
  - {name: proportion}
  - {name: priority}
  - {name: nodeavailability}
  - {name: resourcetype}
  - {name: podaffinity}
  - {name: elastic}
  - {name: kubeflow}
  - {name: ray}
  - {name: subgrouporder}
  - {name: taskorder}
  - {name: nominatednode}
  - {name: dynamicresources}
  - {name: minruntime}
  - {name: topology}
  - {name: snapshot}
  - {name: sg-nodelocalgreedy}
  - {name: sg-multinodegang}
)";
constexpr const char* kBinpackEnd = R"(  - {name: gpupack}
  - {name: nodeplacement, arguments: {gpu: binpack, cpu: binpack}}
  - {name: gpusharingorder}
)";

std::string operator_file() { return std::string(kOperatorActions) + kOperatorPlugins + kBinpackEnd; }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(SchedulingShard, WithoutASpecIsTheOperatorsFile) {
  EXPECT_EQ(config_of(kShard), config_of(operator_file()));
  EXPECT_EQ(config_of(shard("  placementStrategy: {gpu: binpack}\n  plugins:\n  actions: {}\n")),
            config_of(operator_file()));
}

TEST(SchedulingShard, SpreadsWithoutConsolidation) {
  const std::string gpus = replaced(kOperatorActions, " consolidation,", "") + kOperatorPlugins +
                           "  - {name: gpuspread}\n"
                           "  - {name: nodeplacement, arguments: {gpu: spread, cpu: binpack}}\n";
  EXPECT_EQ(config_of(shard("  placementStrategy: {gpu: spread, cpu: binpack}\n")), config_of(gpus));
  const std::string cpus =
      replaced(replaced(operator_file(), " consolidation,", ""), "cpu: binpack", "cpu: spread");
  EXPECT_EQ(config_of(shard("  placementStrategy: {cpu: spread}\n")), config_of(cpus));
}

TEST(SchedulingShard, SetsPartitionDepthsRuntimesAndFlags) {
  const std::string spec = R"(  partitionLabelValue: gpu-nodes
  args:
    leader-elect: "true"
    schedule-period: 3s
    restrict-node-scheduling: "true"
    default-staleness-grace-period: -1s
    max-consolidation-preemptees: "4"
  queueDepthPerAction: {preempt: 15, reclaim: 8}
  minRuntime: {preemptMinRuntime: 10m, reclaimMinRuntime: 5m}
  kValue: 0.5
  usageDBConfig: {clientType: prometheus, connectionString: "http://p:9090"}
  scenarioSearchBudgets: {maxActionSearchDuration: {reclaim: 1m}}
  goMemLimitRatio: 0.8
)";
  std::string file = operator_file() + R"(queueDepthPerAction: {preempt: 15, reclaim: 8}
usageDBConfig: {clientType: prometheus, connectionString: "http://p:9090"}
scenarioSearchBudgets: {maxActionSearchDuration: {reclaim: 1m}}
schedulerParams:
  partitionLabelValue: gpu-nodes
  schedulePeriod: 3s
  restrictSchedulingNodes: true
  globalDefaultStalenessGracePeriod: -1s
  maxNumberConsolidationPreemptees: 4
)";
  file = replaced(file, "{name: proportion}", "{name: proportion, arguments: {kValue: 0.5}}");
  file = replaced(
      file, "{name: minruntime}",
      "{name: minruntime, arguments: {defaultPreemptMinRuntime: 10m, defaultReclaimMinRuntime: 5m}}");
  EXPECT_EQ(config_of(shard(spec)), config_of(file));
}

TEST(SchedulingShard, ChangesPluginsAndActions) {
  const std::string spec = R"(  kValue: 2
  plugins:
    elastic: {enabled: false}
    ray: {priority: 5000}
    numa: {}
    proportion: {arguments: {reclaimerSaturationMultiplier: 1.5}}
    taskorder: {priority: 800}
  actions:
    consolidation: {enabled: false}
    requeue: {priority: 350}
    preempt: {priority: 450}
)";
  std::string file = "actions: allocate, preempt, requeue, reclaim, stalegangeviction\n" +
                     std::string(kOperatorPlugins) + kBinpackEnd + "  - {name: numa}\n";
  file = replaced(file, "  - {name: elastic}\n", "");
  file = replaced(file, "  - {name: ray}\n", "");
  file = replaced(file, "  - {name: predicates}\n", "  - {name: ray}\n  - {name: predicates}\n");
  file = replaced(file, "{name: proportion}",
                  "{name: proportion, arguments: {reclaimerSaturationMultiplier: 1.5}}");
  file = replaced(file, "  - {name: taskorder}\n  - {name: nominatednode}\n",
                  "  - {name: nominatednode}\n  - {name: taskorder}\n");
  EXPECT_EQ(config_of(shard(spec)), config_of(file));
}

TEST(SchedulingShard, MayPackDevicesAndSpreadOverNodes) {
  const Config config = loaded(shard("  placementStrategy: {gpu: spread}\n"
                                     "  plugins: {gpuspread: {enabled: false}, gpupack: {enabled: true}}\n"))
                            .config;
  const auto has = [&](const char* name) {
    return std::ranges::find(config.plugins, name, &PluginConfig::name) != config.plugins.end();
  };
  EXPECT_TRUE(has("gpupack"));
  EXPECT_FALSE(has("gpuspread"));
  EXPECT_FALSE(has("gpusharingorder"));
}

TEST(SchedulingShard, ReportsMistakesWithTheirLocation) {
  EXPECT_THAT(
      complaints_about(shard("  placementStrateggy: {}\n")),
      ElementsAre("c.yaml:5: spec.placementStrateggy: unknown key; did you mean \"placementStrategy\"?"));
  EXPECT_THAT(complaints_about(shard("  placementStrategy: {gpu: pack}\n")),
              ElementsAre(HasSubstr("c.yaml:5: spec.placementStrategy.gpu: \"pack\" is not one of")));
  EXPECT_THAT(
      complaints_about(shard("  plugins:\n    elastik: {enabled: false}\n")),
      ElementsAre("c.yaml:6: spec.plugins.elastik: unknown plugin \"elastik\"; did you mean \"elastic\"?"));
  EXPECT_THAT(complaints_about(shard("  plugins:\n    ray: {enabeld: false}\n")),
              ElementsAre("c.yaml:6: spec.plugins.ray.enabeld: unknown key; did you mean \"enabled\"?"));
  EXPECT_THAT(complaints_about(shard("  actions:\n    reclaim: {arguments: {}}\n")),
              ElementsAre("c.yaml:6: spec.actions.reclaim.arguments: unknown key"));
  EXPECT_THAT(complaints_about(
                  shard("  placementStrategy: {cpu: spread}\n  queueDepthPerAction: {consolidation: 3}\n")),
              ElementsAre("c.yaml:6: spec.queueDepthPerAction.consolidation: the action is not enabled"));
  EXPECT_THAT(complaints_about(shard("  args: {schedule-period: soon}\n")),
              ElementsAre(HasSubstr("c.yaml:5: spec.args.schedule-period: \"soon\" is not a duration")));
}

TEST(SchedulingShard, WarnsOfFlagsThatDoNotExist) {
  const auto warned = [](const std::string& args) {
    return lines(loaded(shard("  args: " + args)).warnings);
  };
  EXPECT_THAT(
      warned("{log-level: 3}\n"),
      ElementsAre("c.yaml:5: spec.args.log-level: KAI-Scheduler has no flag --log-level, so its operator "
                  "drops it"));
  EXPECT_THAT(warned("{schedul-period: 3s}\n"), ElementsAre(HasSubstr("did you mean \"schedule-period\"?")));
  EXPECT_THAT(warned("{v: 5, leader-elect: true}\n"), IsEmpty());
}

TEST(SchedulingShard, WarnsWithoutScenarioGenerators) {
  KnownNames names = all_names();
  for (KnownComponent& action : names.actions) action.needs_generator = action.name == "reclaim";
  const auto warned = [&](const std::string& plugins) {
    return lines(parse_config("c.yaml", shard("  plugins: " + plugins), names).warnings);
  };
  EXPECT_THAT(warned("{sg-nodelocalgreedy: {enabled: false}}\n"), IsEmpty());
  EXPECT_THAT(warned("{sg-nodelocalgreedy: {enabled: false}, sg-multinodegang: {enabled: false}}\n"),
              ElementsAre(HasSubstr("c.yaml:5: spec.plugins: without a scenario generator")));
}

constexpr const char* kNamesInConfig = R"(spec:
  namespace: kai
  global: {schedulerName: mine, nodePoolLabelKey: pool, queueLabelKey: team, replicaCount: 2}
  binder: {resourceReservation: {appLabel: reserve, namespace: r}, cdiEnabled: true}
  podGrouper: {replicas: 2}
  prometheus: {enabled: true}
)";

TEST(KaiConfig, SetsSharedNames) {
  EXPECT_EQ(config_of(std::string(kKaiConfig) + kNamesInConfig),
            config_of("schedulerParams: {schedulerName: mine, nodePoolLabelKey: pool, queueLabelKey: team, "
                      "resourceReservationAppLabel: reserve}\n"));
  EXPECT_EQ(config_of(kKaiConfig), config_of(""));
}

TEST(KaiConfig, CombinesWithAShard) {
  const std::string config = std::string(kKaiConfig) + kNamesInConfig;
  const std::string spec = shard("  partitionLabelValue: p\n  usageDBConfig: {clientType: prometheus}\n");
  const std::string expected =
      config_of(operator_file() +
                "usageDBConfig: {clientType: prometheus, connectionString: "
                "\"http://usage-prometheus.kai.svc.cluster.local:9090\"}\n"
                "schedulerParams: {schedulerName: mine, nodePoolLabelKey: pool, queueLabelKey: team, "
                "resourceReservationAppLabel: reserve, partitionLabelValue: p}\n");
  EXPECT_EQ(config_of(config + "---\n" + spec), expected);
  EXPECT_EQ(config_of(spec + "---\nkind: Pod\napiVersion: v1\n---\n" + config), expected);
}

TEST(KaiConfig, ReportsOnlyMistakesInItsOwnParts) {
  EXPECT_THAT(
      complaints_about(std::string(kKaiConfig) + "spec:\n  global: {shedulerName: x}\n"),
      ElementsAre("c.yaml:5: spec.global.shedulerName: unknown key; did you mean \"schedulerName\"?"));
  EXPECT_THAT(complaints_about(std::string(kKaiConfig) + "spec:\n  podgrouppper: {}\n"),
              ElementsAre(HasSubstr("unknown key; did you mean \"podGrouper\"?")));
  EXPECT_THAT(complaints_about(std::string(kKaiConfig) + "spec:\n  binder: {anything: 1}\n"), IsEmpty());
}

TEST(ConfigMap, HoldsTheSchedulersFile) {
  const std::string map =
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kai-scheduler-default}\ndata:\n  config.yaml: |\n";
  EXPECT_EQ(config_of(map + "    actions: allocate, reclaim\n    queueDepthPerAction: {reclaim: 3}\n"),
            config_of("actions: allocate, reclaim\nqueueDepthPerAction: {reclaim: 3}\n"));
  EXPECT_THAT(complaints_about(map + "    actions: allocate\n    teirs: []\n"),
              ElementsAre("c.yaml:config.yaml:2: teirs: unknown key; did you mean \"tiers\"?"));
  EXPECT_EQ(config_of("apiVersion: v1\nkind: ConfigMap\ndata: {scheduler.conf: 'actions: allocate'}\n"),
            config_of("actions: allocate\n"));
}

TEST(Documents, MustContainExactlyOneConfiguration) {
  EXPECT_THAT(complaints_about("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"),
              ElementsAre(testing::StartsWith("c.yaml:1: Pod p is not a configuration; expected")));
  EXPECT_THAT(complaints_about("apiVersion: v1\nkind: Config\nclusters: []\n"),
              ElementsAre(HasSubstr(": Config is not a configuration")))
      << "a kubeconfig";
  EXPECT_THAT(complaints_about(std::string(kShard) + "---\nactions: allocate\n"),
              ElementsAre("c.yaml:5: found several configurations: SchedulingShard s on line 1, a "
                          "scheduler's file on line 5; keep only one"));
  EXPECT_EQ(
      config_of(
          "kind: List\napiVersion: v1\nitems:\n- apiVersion: kai.scheduler/v1\n  kind: SchedulingShard\n"),
      config_of(kShard));
}

// ---- Snapshots in the format of KAI-Scheduler's snapshot plugin

constexpr const char* kParams =
    R"("schedulerParams":{"schedulerName":"kai-scheduler","partitionParams":{"NodePoolLabelKey":"pool",)"
    R"("NodePoolLabelValue":"a"},"maxNumberConsolidationPreemptees":16,"useSchedulingSignatures":true,)"
    R"("fullHierarchyFairness":true,"allowConsolidatingReclaim":true,"numOfStatusRecordingWorkers":5,)"
    R"("globalDefaultStalenessGracePeriod":60000000000,"schedulePeriod":1000000000,"queueLabelKey":"team"})";
constexpr const char* kObjects = R"("rawObjects":{"pods":[],"nodes":null})";

std::string snapshot(const std::string& config, const std::string& params = kParams) {
  return "{\"config\":" + config + "," + params + "," + kObjects + "}\n";
}

constexpr const char* kSnapshotConfig =
    R"({"actions":"allocate, reclaim","tiers":[{"plugins":[{"name":"predicates"},{"name":"snapshot"},)"
    R"({"name":"sg-multinodegang"}]}],"queueDepthPerAction":{"reclaim":3},)"
    R"("scenarioSearchBudgets":{"maxActionSearchDuration":{"reclaim":60000000000}}})";

TEST(SnapshotConfiguration, IsReadAsGoWritesIt) {
  const std::string file = R"(actions: allocate, reclaim
tiers: [{plugins: [{name: predicates}, {name: snapshot}, {name: sg-multinodegang}]}]
queueDepthPerAction: {reclaim: 3}
scenarioSearchBudgets: {maxActionSearchDuration: {reclaim: 1m}}
schedulerParams: {nodePoolLabelKey: pool, partitionLabelValue: a, queueLabelKey: team}
)";
  EXPECT_EQ(config_of(snapshot(kSnapshotConfig)), config_of(file));
}

TEST(SnapshotConfiguration, ReadsOmittedValuesAsZero) {
  const Config config =
      loaded(snapshot(kSnapshotConfig, R"("schedulerParams":{"schedulerName":"kai-scheduler"})")).config;
  EXPECT_FALSE(config.params.full_hierarchy_fairness);
  EXPECT_FALSE(config.params.allow_consolidating_reclaim);
  EXPECT_FALSE(config.params.use_scheduling_signatures);
  EXPECT_EQ(config.params.max_consolidation_preemptees, 0);
  EXPECT_EQ(config.params.default_staleness_grace_period, Duration::zero());
  EXPECT_EQ(config_of(snapshot("null", "\"schedulerParams\":null")), config_of(""));
}

TEST(SnapshotConfiguration, OfOldVersionsGetsTheBuiltInGenerators) {
  const std::string old = R"({"actions":"reclaim","tiers":[{"plugins":[{"name":"predicates"}]}]})";
  const LoadedConfig config = loaded(snapshot(old));
  ASSERT_EQ(config.config.plugins.size(), 3u);
  EXPECT_EQ(config.config.plugins.back().name, "sg-multinodegang");
  EXPECT_THAT(config.notes,
              ElementsAre(HasSubstr("plugins sg-nodelocalgreedy, sg-multinodegang were added")));
  EXPECT_THAT(loaded(snapshot(kSnapshotConfig)).notes, IsEmpty());
}

TEST(SnapshotConfiguration, GivesWarningsInsteadOfErrors) {
  const LoadedConfig config = loaded(
      snapshot(R"({"actions":"allocate","tiers":[{"plugins":[{"name":"new"},{"name":"ray"}]}],"x":1})"));
  EXPECT_THAT(lines(config.errors), IsEmpty());
  EXPECT_THAT(lines(config.warnings),
              ElementsAre("c.yaml:1: config.tiers[0].plugins[0].name: unknown plugin \"new\"",
                          "c.yaml:1: config.x: unknown key"));
  EXPECT_EQ(config.config.plugins.front().name, "ray");
}

TEST(SnapshotConfiguration, IsOnlyFoundInSnapshots) {
  const auto found = [](std::string_view text) {
    std::optional<SnapshotConfig> config;
    read_documents_of(
        named_text("s.json", text), Snapshots::kWhole,
        [&](const Document& d) { config = config_in_snapshot(d, all_names()); }, [](const Error&) {});
    return config;
  };
  ASSERT_TRUE(found(snapshot(kSnapshotConfig)));
  EXPECT_NE(found(snapshot(kSnapshotConfig))->text, found(snapshot("null"))->text);
  EXPECT_FALSE(found(R"({"rawObjects":{"pods":[]}})"));
  EXPECT_FALSE(found(R"({"kind":"Pod","rawObjects":{},"config":{}})"));
}

}  // namespace
}  // namespace muster
