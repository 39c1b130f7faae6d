// Which jobs a report shows, and in which order: the filters and --sort of `muster simulate`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/cluster.hpp"

namespace muster::cli {

struct JobFilter {
  std::string ns, queue, user, job, state;  // "": any
  std::string sort;                         // "": as the output has it

  bool is_on() const {
    return !ns.empty() || !queue.empty() || !user.empty() || !job.empty() || !state.empty();
  }
};

// What --state and --sort may be.
const std::vector<std::string_view>& known_states();
const std::vector<std::string_view>& known_orders();

// What is wrong with the names in the filter, with the nearest that the cluster has; "" if nothing is.
std::string problem_with(const JobFilter& filter, const Cluster& cluster);
// "namespace team-a, queue research and below"
std::string text_of(const JobFilter& filter);

// The jobs that have an object and pass the filter, by namespace and name.
std::vector<JobId> selected_jobs(const Cluster& cluster, const JobFilter& filter);
// "queue": in the order of the queue tree, then by priority and age. The others, and so on where they do not
// decide: the oldest, the most important, the largest first; by name.
void sort_jobs(const Cluster& cluster, std::string_view order, std::vector<JobId>& jobs);

}  // namespace muster::cli
