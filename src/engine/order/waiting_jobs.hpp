// The waiting jobs that an action works for, in the order in which they are served, and why others are not.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/order/job_order.hpp"

namespace muster {

// Ready jobs with a pending task, no more per queue than the action's depth. Actions that make room leave out
// jobs inside their preemption delay.
JobOrder waiting_jobs(Session& session, const std::string& action);
JobOrder contenders(Session& session, const std::string& action);
// Without those of which something would count as non-preemptible.
JobOrder preemptible_contenders(Session& session, const std::string& action);

// Nothing: the job takes part. Looks at nothing that placements of the cycle change, save the job's own
// tasks.
std::optional<JobReason> why_not_considered(const Cluster& cluster, JobId job);

}  // namespace muster
