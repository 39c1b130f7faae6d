// What a snapshot says beside its objects: when it was taken, and what the scheduler knew then that is in
// none of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "answers/run_history.hpp"
#include "document/document.hpp"
#include "engine/cycle/policy.hpp"
#include "model/cluster.hpp"
#include "serve/write/protected_jobs.hpp"
#include "serve/write/refused_jobs.hpp"
#include "usage/amounts.hpp"

namespace muster::cli {

struct SchedulerState {
  std::optional<TimePoint> at;
  QueueUsage usage;
  answers::RunFigureTable history;
  std::map<std::string, std::vector<std::string>>
      evicted_for;  // a job, and the uids of those who lost pods for it
  serve::RefusedJobs::Refusals refused;
  serve::ProtectedJobs protected_jobs;
};

// `kind: SchedulerState` of muster.dev/v1.
bool is_scheduler_state(const Document& document);
// What is no such thing in it counts as absent.
SchedulerState read_scheduler_state(const Document& document);

// What a live scheduler has beside its configuration: it waits with jobs that could not be bound, and spares
// those that could not be evicted.
void add_live_rules(const SchedulerState& state, Policy& policy);

// Once all objects are there.
void remember_evictions(const SchedulerState& state, Cluster& cluster);

}  // namespace muster::cli
