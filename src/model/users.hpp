// The user a job belongs to.
#pragma once

#include <string_view>

#include "model/cluster.hpp"
#include "util/keys.hpp"

namespace muster {

// The user from the label of the job's group, or else of one of its pods; "" without a label.
inline std::string_view user_of(const Cluster& cluster, JobId id) {
  const Job& job = cluster.job(id);
  if (!job.user.empty()) return job.user;
  for (const PodSet& set : job.pod_sets)
    for (TaskId t : set.tasks)
      if (const std::string* user = find_label(cluster.labels_of(t), keys::kUser)) return *user;
  return {};
}

}  // namespace muster
