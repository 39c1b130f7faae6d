// What is legal in a set of objects and surely not meant. Only what is certain: no guesses about intentions.
//
// For files all of it is asked at once; live, only about the objects that changed.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/cluster.hpp"

namespace muster::checks {

// What the checks look at: a cluster that is refreshed.
struct Checked {
  const Cluster& cluster;
  bool reclaims_by_lca = true;                // reclaimResolveMethod of the plugin minruntime
  std::string_view where = "in these files";  // what is missing is not there
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

// ---- of one object

// Quotas, limits and weights against each other and against those of the queues below.
void check_amounts(const Checked& checked, const Queue& queue, Warnings& warnings);
// Minimum runtimes that never count, or not where one would think.
void check_runtimes(const Checked& checked, const Queue& queue, Warnings& warnings);
// A queue that can not be used, a priority class or topology that is not there.
void check_job(const Checked& checked, const Job& job, Warnings& warnings);
// Holds more than it has.
void check_node(const Checked& checked, NodeId node, Warnings& warnings);

// ---- of all

// The promises of the top queues against what the nodes have.
void check_top_quotas(const Checked& checked, Warnings& warnings);
// Pods without a job or with a sub group that theirs does not have.
void check_members(const Checked& checked, Warnings& warnings);
// Pods that no node could hold.
void check_sizes(const Checked& checked, Warnings& warnings);
// Pods on nodes that are not there.
void check_missing_nodes(const Checked& checked, Warnings& warnings);

std::vector<ObjectWarning> check_all(const Checked& checked);

// Why nothing can be placed at all: no node, no queue, no job; "" where something can.
std::string nothing_to_schedule(const Checked& checked);

}  // namespace muster::checks
