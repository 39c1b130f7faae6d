// How a cycle is run: plugins, actions and the settings they share. Fixed for the life of a scheduler.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/cycle/plugin.hpp"
#include "model/resources.hpp"
#include "util/time.hpp"

namespace muster {

// Where muster decides differently from KAI-Scheduler on a legal cluster; docs/differences.md has a row for
// each. The defaults are ours; --kai-exact sets them all the other way.
struct KaiDifferences {
  bool trim_victims = true;               // give back victims that turn out not to be needed
  bool exhaustive_generator = true;       // a complete search where the others found nothing
  bool satisfaction_along_tree = true;    // minSubGroup counts when a gang is tested for being whole
  bool protection_needs_minimum = true;   // a start in the future protects only where a minimum is set
  bool elastic_by_active_tasks = true;    // pods that do not run make no job elastic for its minimum runtime
  bool exact_consolidation_limit = true;  // N victims, not N + 1
  bool probes_try_all_tasks = true;       // empty sub groups take no place of those that wait
  bool take_once = true;             // no job is reclaimed or moved twice for one that got no place meanwhile
  bool slots_for_new_groups = true;  // only a shared GPU that is new needs a second pod slot
  bool sharing_score_needs_gpu = true;      // shared GPUs attract only pods that need a GPU
  bool memory_within_device = true;         // GPU memory of two or more whole devices is no share of one
  bool required_level_above_common = true;  // nodes that all lie in one finer domain meet a required level
};

// How far a search for victims goes. Steps make the same input give the same decisions on any machine; the
// times are an outer guard, checked between scenarios.
struct SearchLimits {
  std::int64_t scenarios_per_job = 100'000;
  std::int64_t nodes_per_job = 200'000'000;
  std::size_t exhaustive_combinations = 4096;           // of victims; a search with more of them is not small
  std::optional<Duration> job;                          // absent: none
  Duration job_floor = Duration::zero();                // granted even where the action's time is used up
  std::map<std::string, Duration> actions, generators;  // "default" serves those without an entry; zero: none
};

struct EngineSettings {
  std::map<std::string, int> queue_depth;  // jobs per leaf queue and action
  int max_consolidation_victims = 16;
  bool allow_consolidating_reclaim = true;
  bool use_signatures = true;
  Duration staleness_grace = std::chrono::seconds(60);
  bool index_nodes = true;     // false: score all nodes for every task, the plain way
  bool replay_victims = true;  // false: every probe of a search puts the victims in order anew
  bool prove_hopeless = true;  // false: search also where a proof says that there is nothing to find
  SearchLimits search;
  KaiDifferences differences;
  // Past use of queues by name, as a share of the capacity; absent: none.
  std::map<std::string, Shares> usage;
};

struct Policy {
  std::vector<PluginFactory> plugins;
  std::vector<std::shared_ptr<Action>> actions;
  EngineSettings settings;
};

}  // namespace muster
