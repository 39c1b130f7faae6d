// How cycles run: plugins, actions and the settings they share. Fixed for the lifetime of a scheduler, except
// for past usage, which changes between cycles.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/cycle/plugin.hpp"
#include "model/resources.hpp"
#include "options/compatibility.hpp"
#include "options/search_limits.hpp"
#include "util/time.hpp"

namespace muster {

struct EngineSettings {
  std::map<std::string, int> queue_depth;  // maximum jobs per leaf queue, by action
  int max_consolidation_victims = 16;
  bool allow_consolidating_reclaim = true;
  bool use_signatures = true;
  Duration staleness_grace = std::chrono::seconds(60);
  bool index_nodes = true;     // false: score all nodes for every task
  bool replay_victims = true;  // false: every probe of a search sorts the victims again
  bool prove_hopeless = true;  // false: search even if a proof says that there is nothing to find
  SearchLimits search;
  Compatibility compatibility;
  // Past usage of queues by name, as a share of the capacity; absent: none.
  std::map<std::string, Shares> usage;
};

struct Policy {
  std::vector<PluginFactory> plugins;
  std::vector<std::shared_ptr<Action>> actions;
  EngineSettings settings;
};

}  // namespace muster
