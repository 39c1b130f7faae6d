// What KAI's partial copy of a gang lets a probe place. actions.md 9.2.
#pragma once

#include <span>
#include <vector>

#include "engine/cycle/session.hpp"

namespace muster {

// The copy holds the active tasks of the job and the `first` that wait; minimums are lowered to what is in
// it, but sub groups without tasks keep theirs, and can satisfy a set or take a place in it that others need.
// So it may be less than `first`, or nothing.
void tasks_of_partial_copy(const Session& session, JobId job, std::span<const TaskId> first,
                           std::vector<TaskId>& tasks);

}  // namespace muster
