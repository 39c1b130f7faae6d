// The jobs that a report shows and their order: the filters and --sort of `muster simulate`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/cluster.hpp"

namespace muster::report {

struct JobFilter {
  std::string ns, queue, user, job, state;  // "": any
  std::string sort;                         // "": the default order of the output

  bool is_on() const {
    return !ns.empty() || !queue.empty() || !user.empty() || !job.empty() || !state.empty();
  }
};

// The values that --state and --sort accept.
const std::vector<std::string_view>& known_states();
const std::vector<std::string_view>& known_orders();

// Returns "" if all names in the filter exist. Otherwise returns a message about one that does not, with the
// nearest name that does.
std::string problem_with(const JobFilter& filter, const Cluster& cluster);
// The filter in words, for example "namespace team-a, queue research and below".
std::string text_of(const JobFilter& filter);

// The jobs that have an object and pass the filter, by namespace and name.
std::vector<JobId> selected_jobs(const Cluster& cluster, const JobFilter& filter);
// The order "queue" follows the queue tree, then priority and age, and breaks ties in the other orders. "age"
// puts the oldest job first, "priority" the highest priority and "gpus" the largest job; "name" sorts by
// name.
void sort_jobs(const Cluster& cluster, std::string_view order, std::vector<JobId>& jobs);

}  // namespace muster::report
