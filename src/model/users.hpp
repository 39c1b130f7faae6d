// Whose a job is.
#pragma once

#include <string_view>

#include "model/cluster.hpp"
#include "util/keys.hpp"

namespace muster {

// As the label of its group says, else that of one of its pods; "": nobody says.
inline std::string_view user_of(const Cluster& cluster, JobId id) {
  const Job& job = cluster.job(id);
  if (!job.user.empty()) return job.user;
  for (const PodSet& set : job.pod_sets)
    for (TaskId t : set.tasks)
      if (const std::string* user = find_label(cluster.labels_of(t), keys::kUser)) return *user;
  return {};
}

}  // namespace muster
