// The clusters that are measured, by name, and how they live on between cycles.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/cycle/policy.hpp"
#include "generate.hpp"
#include "model/decisions.hpp"

namespace muster::bench {

struct Scenario {
  std::string name;
  ClusterShape shape;
  std::vector<std::string> actions = {};          // none: all of the default configuration
  std::optional<int> consolidation_victims = {};  // none: as in the default configuration; -1: any number
};

const std::vector<Scenario>& scenarios();
const Scenario* find_scenario(const std::string& name);

// The default configuration with what the scenario changes.
Policy make_policy(const Scenario& scenario);

// A big cluster, full and quiet: all queues at their quota, gangs that wait in vain, and a few pods that come
// and go between two cycles.
class LiveCluster {
 public:
  explicit LiveCluster(const ClusterShape& shape);
  // Ten pods change, then one cycle.
  Decisions step(const Policy& policy);
  Cluster& cluster() { return cluster_; }

 private:
  ClusterShape shape_;
  Cluster cluster_;
  int next_ = 0;
  int cycles_ = 0;
};

}  // namespace muster::bench
