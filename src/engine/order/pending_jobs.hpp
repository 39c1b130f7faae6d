// The waiting jobs that an action works for, in the order in which they are served.
#pragma once

#include <string>

#include "engine/order/job_order.hpp"

namespace muster {

// Ready jobs with a pending task, no more per queue than the action's depth. Actions that make room leave out
// jobs inside their preemption delay.
JobOrder pending_jobs(Session& session, const std::string& action);
JobOrder contenders(Session& session, const std::string& action, bool preemptible_only = false);

// Every job with a pending task by creation time, then uid.
std::vector<JobId> waiting_by_age(const Session& session);

// The end of the job's preemption delay, where it has one that is not over.
std::optional<TimePoint> delayed_until(const Session& session, JobId job);

}  // namespace muster
