// The scheduler's configuration as plain data, and the reader of KAI-Scheduler's configuration file that
// fills it.
//
// Every error names file, line and key. The values of plugin and action arguments are checked by the code
// that uses them, with config/arguments.hpp.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/known_names.hpp"
#include "options/compatibility.hpp"
#include "options/search_limits.hpp"
#include "usage/settings.hpp"
#include "util/result.hpp"
#include "util/time.hpp"

namespace muster {

class Document;

// A plugin or action as written in the file.
struct ComponentConfig {
  std::string name;
  std::map<std::string, std::string> arguments;
  Location where;
  std::map<std::string, Location> argument_locations;
};
using PluginConfig = ComponentConfig;
using ActionConfig = ComponentConfig;

// KAI-Scheduler's flags that the engine needs.
struct SchedulerParams {
  std::string scheduler_name = "kai-scheduler";
  std::string node_pool_label_key = "kai.scheduler/node-pool";  // empty: the whole cluster is one pool
  std::string partition_label_value;                            // empty: the pool of nodes without the label
  std::string queue_label_key = "kai.scheduler/queue";
  std::string resource_reservation_app_label = "kai-resource-reservation";
  std::string resource_reservation_namespace = "kai-resource-reservation";
  std::string cpu_worker_label_key = "node-role.kubernetes.io/cpu-worker";
  std::string gpu_worker_label_key = "node-role.kubernetes.io/gpu-worker";
  std::string mig_worker_label_key = "node-role.kubernetes.io/mig-enabled";
  Duration schedule_period = std::chrono::seconds(1);
  Duration default_staleness_grace_period =
      std::chrono::seconds(60);  // negative: a stale gang is never evicted
  Duration stuck_in_releasing_threshold = std::chrono::minutes(2);
  int max_consolidation_preemptees = 16;  // negative: no limit
  int status_recording_workers = 5;
  bool restrict_node_scheduling = false;
  bool full_hierarchy_fairness = true;
  bool allow_consolidating_reclaim = true;
  bool use_scheduling_signatures = true;
  bool schedule_csi_storage = false;
  bool dynamic_resource_allocation = true;
  bool detailed_fit_errors = false;
  bool update_pod_eviction_condition = false;
  Compatibility compatibility;
};

// A plugin or action that is used by default: in the default configuration, or in a SchedulingShard, where
// KAI's operator orders them by priority.
struct DefaultComponent {
  std::string_view name;
  int operator_priority = 0;  // 0: the operator does not add it
  bool is_default = true;     // in the default configuration, in the order of the table
};
std::span<const DefaultComponent> plugin_defaults();
std::span<const DefaultComponent> action_defaults();

std::vector<std::string> default_actions();
std::vector<PluginConfig> default_plugins();

// Locations in the file of settings that may cause a warning; without a file name if absent.
struct ConfigLocations {
  Location plugins, actions, usage;
};

struct Config {
  std::vector<std::string> actions = default_actions();
  std::vector<PluginConfig> plugins = default_plugins();  // all tiers, in order
  std::map<std::string, ActionConfig> action_arguments;
  std::map<std::string, int> queue_depth;  // by action: number of jobs tried per queue; absent: all
  SearchLimits search;
  UsageSettings usage;
  SchedulerParams params;
  ConfigLocations places;

  // The action with its arguments, if any.
  ActionConfig action(const std::string& name) const;
};

// A configuration and all errors of the file. The configuration is only valid without errors.
struct LoadedConfig {
  Config config;
  std::vector<Error> errors, warnings;
  std::vector<std::string> notes;
  explicit operator bool() const { return errors.empty(); }
};

// Reads the scheduler's own file, a ConfigMap that contains it, a SchedulingShard, a Config of KAI-Scheduler
// alone or with one of these, or a snapshot. Other objects in the file are ignored. A setting that the file
// omits keeps its default, so an empty file is the default configuration.
LoadedConfig load_config(const std::string& path, const KnownNames& names);
// Likewise for text in memory; messages call it `name`.
LoadedConfig parse_config(const std::string& name, std::string_view text, const KnownNames& names);

// The equivalent configuration file as JSON. It omits the source of past use, which may contain secrets.
std::string text_of(const Config& config);

// The configuration inside a snapshot of KAI-Scheduler or muster, and the JSON text it was read from. Returns
// nullopt if the document is not a snapshot or contains no configuration.
struct SnapshotConfig {
  LoadedConfig loaded;
  std::string text;
};
std::optional<SnapshotConfig> config_in_snapshot(const Document& document, const KnownNames& names);

}  // namespace muster
