// What searches that were cut short had ruled out, kept from cycle to cycle. Forgetting it costs time, never
// a decision.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <string>
#include <utility>

#include "model/cluster.hpp"

namespace muster {

// Scenarios by what they are made of.
using FailedScenarios = absl::flat_hash_set<std::size_t>;

class SearchMemory {
 public:
  // What the last search of the action for this job ruled out, if nothing has changed since.
  void recall(const Cluster& cluster, const std::string& action, JobId job, FailedScenarios& failed) const;
  // The search was cut short; the cluster is as it was before it.
  void remember(const Cluster& cluster, const std::string& action, JobId job, FailedScenarios failed);
  void forget(const Cluster& cluster, const std::string& action, JobId job);

 private:
  struct Search {
    std::size_t state = 0;
    FailedScenarios failed;
  };
  absl::flat_hash_map<std::string, Search> cut_short_;  // by action, namespace and name
};

}  // namespace muster
