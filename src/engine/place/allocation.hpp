// Placing a job: all tasks of the chunk or none, group by group. actions.md 7.
#pragma once

#include <optional>
#include <span>

#include "engine/cycle/session.hpp"
#include "engine/cycle/statement.hpp"

namespace muster {

struct Attempt {
  JobId job;
  std::span<const TaskId> tasks;    // tried at once
  const Bitmap* allowed = nullptr;  // ranks of the nodes to use; null: all
  bool pipeline_only = false;       // a scenario: nothing is placed for real
};

// Nothing: all tasks are placed. A reason: nothing of this attempt is left in the statement.
std::optional<JobReason> allocate_job(Session& session, Statement& statement, const Attempt& attempt);

}  // namespace muster
