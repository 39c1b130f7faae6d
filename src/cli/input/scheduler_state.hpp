// What a snapshot says beside its objects: when it was taken, and what the scheduler knew then that is in
// none of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "answers/run_history.hpp"
#include "document/document.hpp"
#include "model/cluster.hpp"
#include "usage/amounts.hpp"

namespace muster::cli {

struct SchedulerState {
  std::optional<TimePoint> at;
  QueueUsage usage;
  answers::RunFigureTable history;
  std::map<std::string, std::vector<std::string>>
      evicted_for;  // a job, and the uids of those who lost pods for it
};

// `kind: SchedulerState` of muster.dev/v1.
bool is_scheduler_state(const Document& document);
// What is no such thing in it counts as absent.
SchedulerState read_scheduler_state(const Document& document);

// Once all objects are there.
void remember_evictions(const SchedulerState& state, Cluster& cluster);

}  // namespace muster::cli
