// Which devices of a node a shared request gets. placement.md 6.2.
#pragma once

#include <optional>

#include "engine/session.hpp"

namespace muster {

struct GpuChoice {
  GroupListId groups;
  bool are_idle = false;  // all of them have room now
};

// Nothing: too few devices could take the task.
std::optional<GpuChoice> choose_gpus(Session& session, TaskId task, NodeId node);

}  // namespace muster
