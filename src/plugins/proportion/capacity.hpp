// Limits and quotas: what a job may take from its queue and every queue above. fairshare.md 8.
#pragma once

#include <optional>

#include "engine/cycle/session.hpp"

namespace muster::plugins {

class Capacity {
 public:
  explicit Capacity(const Session& session) : cluster_(session.cluster) {}

  // Limit, and quota for the part of it that would be non-preemptible, at every level. Nothing: the job may
  // take it.
  std::optional<JobReason> over(JobId job, const Demand& wanted, const Demand& core) const;
  std::optional<JobReason> over_quota(JobId job, const Demand& core) const;

 private:
  std::optional<JobReason> over_limit(JobId job, const Demand& wanted) const;

  const Cluster& cluster_;
};

}  // namespace muster::plugins
