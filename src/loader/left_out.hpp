// Counts objects in the files that the configuration leaves out: those of other node pools, and non-worker
// nodes if scheduling is restricted to workers.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/cluster.hpp"

namespace muster::loader {

class LeftOut {
 public:
  explicit LeftOut(const Cluster& cluster) : cluster_(cluster) {}
  // Call for every object before it is applied to the cluster.
  void note(const Object& object);
  // "2 Nodes and 1 Queue left out: …"
  std::vector<std::string> notes() const;

 private:
  const Cluster& cluster_;
  std::map<std::string_view, std::set<std::string>> of_other_pools_;  // by kind
  std::set<std::string> no_workers_;
};

}  // namespace muster::loader
