// What consolidation, reclaim and preempt have in common: gates that come before any search. actions.md 8.1.
#pragma once

#include "engine/failed_jobs.hpp"
#include "engine/pending_jobs.hpp"
#include "engine/solver.hpp"

namespace muster {

// A refusal of one of the tasks to be placed that no eviction can change; it is told to the user.
bool is_hopeless(Session& session, JobId contender);

// Runs the search and commits what it found.
bool make_room(Session& session, Solver& solver, JobId contender, const std::string& action,
               const Candidates& candidates, const ScenarioValidator& valid);

}  // namespace muster
