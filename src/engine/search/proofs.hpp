// Cheap proofs that no set of victims can make room, asked before any search. They spare the search and give
// the user a reason; they never change a decision.
#pragma once

#include <optional>

#include "engine/search/solver.hpp"

namespace muster {

// Whom reclaim may take from is a matter of shares; preempt and consolidation have no such bound.
enum class Bounded : std::uint8_t { kByShares, kNot };

std::optional<JobReason> proven_hopeless(Session& session, Solver& solver, JobId contender,
                                         const Candidates& candidates, Bounded bounded);

// Candidates that are spared, by rule; the rule that holds most GPUs first. Counts the others.
std::vector<SparedJobs> spared_jobs(const VictimPool& pool, const Candidates& candidates,
                                    std::int64_t& others);

}  // namespace muster
