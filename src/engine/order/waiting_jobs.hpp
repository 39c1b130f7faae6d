// The pending jobs that an action works for, in the order in which they are served, and why others are
// skipped.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/order/job_order.hpp"

namespace muster {

// Ready jobs with a pending task, limited by the action's depth per queue. Actions that make room skip jobs
// inside their preemption delay.
JobOrder waiting_jobs(Session& session, const std::string& action);
JobOrder preemptors(Session& session, const std::string& action);
// Likewise, without jobs that would count as non-preemptible, even in part.
JobOrder preemptible_preemptors(Session& session, const std::string& action);

// Returns why the job is not considered, or nullopt. Placements of the cycle do not affect the answer, except
// those of the job's own tasks.
std::optional<JobReason> why_not_considered(const Cluster& cluster, JobId job);

}  // namespace muster
