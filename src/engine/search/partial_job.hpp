// A contender of which a probe tries only some tasks. actions.md 9.2.
#pragma once

#include <span>
#include <vector>

#include "engine/cycle/session.hpp"

namespace muster {

// The job with only its active tasks and these: minimums are no higher than what is there.
JobEntry partial_entry(const Session& session, JobId job, std::span<const TaskId> tasks);

// What KAI's partial copy of a gang lets a probe place. The copy holds the active tasks of the job and the
// `first` that wait; minimums are lowered to what is in it, but sub groups without tasks keep theirs, and can
// satisfy a set or take a place in it that others need. So it may be less than `first`, or nothing.
void tasks_of_partial_copy(const Session& session, JobId job, std::span<const TaskId> first,
                           std::vector<TaskId>& tasks);

}  // namespace muster
