// The scheduler's configuration as plain data, and the reader of KAI's configuration file that fills it.
//
// Every error names file, line and key. Whether the value of a plugin's or an action's argument makes sense
// is decided by whoever takes it, with the help of config/arguments.hpp.
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

// A plugin or an action as the file has it.
struct ComponentConfig {
  std::string name;
  std::map<std::string, std::string> arguments;
  Location where;
  std::map<std::string, Location> argument_places;
};
using PluginConfig = ComponentConfig;
using ActionConfig = ComponentConfig;

// What KAI takes as flags and the engine needs.
struct SchedulerParams {
  std::string scheduler_name = "kai-scheduler";
  std::string node_pool_label_key = "kai.scheduler/node-pool";  // empty: the whole cluster is one pool
  std::string partition_label_value;                            // empty: what does not carry the label
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

// A plugin or an action that is there where nobody names any: in the default configuration, and in a
// SchedulingShard, where KAI's operator puts them in the order of their priorities.
struct DefaultComponent {
  std::string_view name;
  int operator_priority = 0;  // 0: the operator does not add it
  bool is_default = true;     // of the default configuration, which has them in the order of the table
};
std::span<const DefaultComponent> plugin_defaults();
std::span<const DefaultComponent> action_defaults();

std::vector<std::string> default_actions();
std::vector<PluginConfig> default_plugins();

// Where a file names the parts that may need a word; without a file where it does not.
struct ConfigPlaces {
  Location plugins, actions, usage;
};

struct Config {
  std::vector<std::string> actions = default_actions();
  std::vector<PluginConfig> plugins = default_plugins();  // all tiers, in order
  std::map<std::string, ActionConfig> action_arguments;
  std::map<std::string, int> queue_depth;  // by action: jobs tried per queue; absent: all
  SearchLimits search;
  UsageSettings usage;
  SchedulerParams params;
  ConfigPlaces places;

  // The action with its arguments, if it has any.
  ActionConfig action(const std::string& name) const;
};

// A configuration, or everything that is wrong with the file; the configuration counts only where nothing is.
struct LoadedConfig {
  Config config;
  std::vector<Error> errors, warnings;
  std::vector<std::string> notes;
  explicit operator bool() const { return errors.empty(); }
};

// The scheduler's own file, a ConfigMap that holds it, a SchedulingShard, a Config of KAI's with any of these
// or alone, or a snapshot. Of several documents in a file those are used, and other objects are left alone.
// An empty file is the default configuration; so is every part that a file leaves out.
LoadedConfig load_config(const std::string& path, const KnownNames& names);
// The same over text in memory; `name` stands for the file in messages.
LoadedConfig parse_config(const std::string& name, std::string_view text, const KnownNames& names);

// The scheduler's own file that says the same, as JSON; but for where past use comes from, which may hold
// secrets.
std::string text_of(const Config& config);

// The configuration inside a snapshot, KAI-Scheduler's or ours, with what it was read from as JSON text;
// nothing where the document is no snapshot or holds none.
struct SnapshotConfig {
  LoadedConfig loaded;
  std::string text;
};
std::optional<SnapshotConfig> config_in_snapshot(const Document& document, const KnownNames& names);

}  // namespace muster
