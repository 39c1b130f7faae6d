// The plan of a cycle: where jobs are nominated, and what becomes of it when the actions run again.
#pragma once

#include "engine/cycle/session.hpp"

namespace muster {

// Begins a cycle with the nominations of the last one, where they are still possible, so that jobs get the
// places for which others were evicted. Actions may displace them again.
void restore_plan(Session& session);

// Withdraws binds of this cycle that a later action displaced, and binds nominated jobs whose places are free
// then. Returns whether the plan changed, so that the actions may find more to do.
bool settle_plan(Session& session);

}  // namespace muster
