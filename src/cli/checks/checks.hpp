// What is legal in a set of objects and surely not meant. Only what is certain: no guesses about intentions.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "config/config.hpp"
#include "model/cluster.hpp"

namespace muster::cli {

// What the checks look at: a cluster that is refreshed, and the configuration.
struct Checked {
  const Cluster& cluster;
  const Config& config;
};

class Warnings {
 public:
  void add(std::string object, std::string field, std::string message) {
    list_.push_back({std::move(object), std::move(field), std::move(message)});
  }
  std::vector<ObjectWarning> take() { return std::move(list_); }

 private:
  std::vector<ObjectWarning> list_;
};

// Quotas, limits and weights against each other, the parents' and the cluster's.
void check_amounts(const Checked& checked, Warnings& warnings);
// Minimum runtimes that never count, or not where one would think.
void check_runtimes(const Checked& checked, Warnings& warnings);
// Jobs without a usable queue or priority class, pods without a job, pods that no node could hold.
void check_jobs(const Checked& checked, Warnings& warnings);
// Nodes that hold more than they have, pods on nodes that are not there.
void check_nodes(const Checked& checked, Warnings& warnings);

// All of them.
std::vector<ObjectWarning> check_all(const Checked& checked);
// Why nothing can be placed at all: no node, no queue, no job; "" where something can.
std::string nothing_to_schedule(const Cluster& cluster);

}  // namespace muster::cli
