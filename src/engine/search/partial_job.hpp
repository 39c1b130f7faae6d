// A preemptor with only some of its tasks, as tried by a probe. actions.md 9.2.
#pragma once

#include <span>
#include <vector>

#include "engine/cycle/session.hpp"

namespace muster {

// The entry of the job with only its active tasks and these; minimums are at most the number of tasks.
JobEntry partial_entry(const Session& session, JobId job, std::span<const TaskId> tasks);

// Returns the tasks that KAI's partial copy of a gang lets a probe place. The copy contains the job's active
// tasks and the `first` pending ones, and its minimums are lowered to that. Sub groups without tasks keep
// their minimum, and can satisfy a set or occupy a place in it that others need. So the result may be smaller
// than `first`, or empty.
void tasks_of_partial_copy(const Session& session, JobId job, std::span<const TaskId> first,
                           std::vector<TaskId>& tasks);

}  // namespace muster
