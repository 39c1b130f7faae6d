// Which nodes refuse a pod of the job and why, and which come closest.
#pragma once

#include "answers/explain.hpp"
#include "engine/cycle/session.hpp"

namespace muster::answers {

// Fills `nodes` and `closest`. REQUIRES: the session is open on the state after the cycle.
void look_at_nodes(Session& session, Explanation& explanation);

}  // namespace muster::answers
