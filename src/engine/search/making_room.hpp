// What consolidation, requeue, reclaim and preempt have in common: gates that come before any search, the
// search, and what is said about it. actions.md 8.1.
#pragma once

#include <functional>
#include <string_view>

#include "engine/order/pending_jobs.hpp"
#include "engine/search/failed_jobs.hpp"
#include "engine/search/proofs.hpp"
#include "engine/search/solver.hpp"

namespace muster {

// A refusal of one of the tasks to be placed that no eviction can change; it is told to the user.
bool is_hopeless(Session& session, JobId contender);

// Room for whom, from whom, by which rules.
struct Purpose {
  const char* action;
  JobId contender;
  Candidates candidates;
  ScenarioValidator valid;
  std::function<std::string_view(JobId)> ground;  // what allows the eviction of a victim
  Bounded bounded = Bounded::kNot;
  // Asked when a solution stands; false: it is shown, not carried out.
  std::function<bool()> commits = [] { return true; };
};

// Runs the search and commits what it found, with a receipt for each eviction; or reports what was tried.
Outcome make_room(Session& session, Solver& solver, const Purpose& purpose);

// A job that left its place for the contender, which got none of it, left in vain: once is enough, or the two
// could go on for ever. docs/fairness.md.
std::optional<VictimRefusal> taken_before(const Session& session, JobId victim, JobId contender);

// A like job that asks for no more failed before, which is told to the user.
bool is_covered(Session& session, const FailedJobs& failed, QueueId pool, JobId contender,
                const char* action);

}  // namespace muster
