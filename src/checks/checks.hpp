// Finds objects that are valid but probably a mistake. Reports only what is certain, without guessing at
// intentions.
//
// For files, all checks run at once; in a live cluster, only those of changed objects.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/cluster.hpp"

namespace muster::checks {

// The input of the checks. REQUIRES: the cluster is refreshed.
struct Checked {
  const Cluster& cluster;
  bool reclaims_by_lca = true;                // reclaimResolveMethod of the plugin minruntime
  std::string_view where = "in these files";  // where a missing object was looked for
};

class Warnings {
 public:
  void add(std::string object, std::string field, std::string message) {
    list_.push_back({std::move(object), std::move(field), std::move(message)});
  }
  std::vector<ObjectWarning> take() { return std::exchange(list_, {}); }

 private:
  std::vector<ObjectWarning> list_;
};

// ---- one object

// Compares quotas, limits and weights with each other and with the quotas of the child queues.
void check_amounts(const Checked& checked, const Queue& queue, Warnings& warnings);
// Finds minimum runtimes without effect, or with less effect than expected.
void check_runtimes(const Checked& checked, const Queue& queue, Warnings& warnings);
// Finds an unusable queue, and a missing priority class or topology.
void check_job(const Checked& checked, const Job& job, Warnings& warnings);
// Finds a node whose pods use more than it has.
void check_node(const Checked& checked, NodeId node, Warnings& warnings);

// ---- all objects

// Compares the quotas of the top queues with the capacity of the nodes.
void check_top_quotas(const Checked& checked, Warnings& warnings);
// Finds pods without a job or with an unknown sub group.
void check_members(const Checked& checked, Warnings& warnings);
// Finds pods that fit no node.
void check_sizes(const Checked& checked, Warnings& warnings);
// Finds pods on missing nodes.
void check_missing_nodes(const Checked& checked, Warnings& warnings);

std::vector<ObjectWarning> check_all(const Checked& checked);

// Returns why nothing can be placed at all (no node, queue or job), or "".
std::string nothing_to_schedule(const Checked& checked);

}  // namespace muster::checks
