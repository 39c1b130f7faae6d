// Checks what a job may take under the limits and quotas of its queue and of every queue above.
// fairshare.md 8.
#pragma once

#include <optional>

#include "engine/cycle/session.hpp"

namespace muster::plugins {

class Capacity {
 public:
  explicit Capacity(const Session& session) : cluster_(session.cluster) {}

  // Checks the limit at every level, and the quota for the part that would be non-preemptible. Returns
  // nothing if the job may take it.
  std::optional<JobReason> over(JobId job, const Demand& requested, const Demand& core) const;
  std::optional<JobReason> over_quota(JobId job, const Demand& core) const;

 private:
  std::optional<JobReason> over_limit(JobId job, const Demand& requested) const;

  const Cluster& cluster_;
};

}  // namespace muster::plugins
