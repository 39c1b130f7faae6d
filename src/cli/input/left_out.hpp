// Objects of the files that the configuration leaves out: those of another node pool, and nodes that are no
// workers where nodes are restricted.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/cluster.hpp"

namespace muster::cli {

class LeftOut {
 public:
  explicit LeftOut(const Cluster& cluster) : cluster_(cluster) {}
  // Every object, before the cluster takes it.
  void note(const Object& object);
  // "2 Nodes and 1 Queue left out: …"
  std::vector<std::string> notes() const;

 private:
  const Cluster& cluster_;
  std::map<std::string_view, std::set<std::string>> of_other_pools_;  // by kind
  std::set<std::string> no_workers_;
};

}  // namespace muster::cli
