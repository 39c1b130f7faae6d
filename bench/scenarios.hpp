// The scenarios by name, and the changes of live clusters between cycles.
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
  std::vector<std::string> actions = {};          // empty: all of the default configuration
  std::optional<int> consolidation_victims = {};  // nullopt: as in the default configuration; -1: no limit
};

const std::vector<Scenario>& scenarios();
const Scenario* find_scenario(const std::string& name);

// The default configuration with the changes of the scenario.
Policy make_policy(const Scenario& scenario);

// A large cluster that is full and quiet: all queues at their quota, gangs that cannot be placed, and a few
// pods that come and go between two cycles.
class LiveCluster {
 public:
  explicit LiveCluster(const ClusterShape& shape);
  // Changes ten pods, then runs one cycle.
  Decisions step(const Policy& policy);
  Cluster& cluster() { return cluster_; }

 private:
  ClusterShape shape_;
  Cluster cluster_;
  int next_ = 0;
  int cycles_ = 0;
};

}  // namespace muster::bench
