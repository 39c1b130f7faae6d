// The part of a snapshot that its objects do not contain: its time, and the state that only the scheduler
// knew.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "answers/run_history.hpp"
#include "document/document.hpp"
#include "engine/cycle/policy.hpp"
#include "model/cluster.hpp"
#include "plugins/protected_jobs.hpp"
#include "plugins/refused_jobs.hpp"
#include "usage/amounts.hpp"

namespace muster::loader {

struct SchedulerState {
  std::optional<TimePoint> at;
  QueueUsage usage;
  answers::RunFigureTable history;
  std::map<std::string, std::vector<std::string>>
      evicted_for;  // for each job, the uids of the jobs whose pods were evicted for it
  plugins::RefusedJobs::Refusals refused;
  plugins::ProtectedJobs protected_jobs;
};

// `kind: SchedulerState` of muster.dev/v1.
bool is_scheduler_state(const Document& document);
// Ignores malformed parts of the document.
SchedulerState read_scheduler_state(const Document& document);

// Adds the rules that a live scheduler applies in addition to its configuration. It delays jobs after a
// refused bind, and protects jobs after a refused eviction.
void add_live_rules(const SchedulerState& state, Policy& policy);

// Records past evictions in the cluster. REQUIRES: all objects are in the cluster.
void remember_evictions(const SchedulerState& state, Cluster& cluster);

}  // namespace muster::loader
