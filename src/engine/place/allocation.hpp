// Places a job: all tasks of the chunk or none, group by group. actions.md 7.
#pragma once

#include <optional>
#include <span>

#include "engine/cycle/session.hpp"
#include "engine/cycle/statement.hpp"

namespace muster {

struct Attempt {
  JobId job;
  std::span<const TaskId> tasks;    // placed together
  const Bitmap* allowed = nullptr;  // ranks of the nodes to use; null: all nodes
  bool pipeline_only = false;       // for scenarios: tasks are only pipelined
};

// Returns nullopt if all tasks were placed. Otherwise returns the reason, and the statement is as before.
std::optional<JobReason> allocate_or_refuse(Session& session, Statement& statement, const Attempt& attempt);

}  // namespace muster
