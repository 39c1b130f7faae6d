// The waiting jobs that an action works for, in the order in which they are served.
#pragma once

#include <string>

#include "engine/job_order.hpp"

namespace muster {

// Ready jobs with a pending task, no more per queue than the action's depth.
JobOrder pending_jobs(Session& session, const std::string& action);

}  // namespace muster
