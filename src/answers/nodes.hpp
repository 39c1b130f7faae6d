// Which nodes refuse a pod of the job, for what, and which come closest.
#pragma once

#include "answers/explain.hpp"
#include "engine/cycle/session.hpp"

namespace muster::answers {

// Fills nodes and closest. The session is open on what the cycle left.
void look_at_nodes(Session& session, Explanation& explanation);

}  // namespace muster::answers
