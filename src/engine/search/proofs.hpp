// Cheap proofs that no set of victims can make room, asked before any search. They spare the search and give
// the user a reason; they never change a decision.
#pragma once

#include <optional>

#include "engine/search/solver.hpp"

namespace muster {

// Whom reclaim may take from is a matter of shares; preempt and consolidation have no such bound.
enum class Bounded : std::uint8_t { kByShares, kNot };

class Proofs {
 public:
  explicit Proofs(Session& session) : session_(session) {}
  // Why no search of the solver among these candidates could succeed, where that is proven.
  std::optional<JobReason> against(Solver& solver, JobId contender, const Candidates& candidates,
                                   Bounded bounded);

 private:
  std::optional<JobReason> too_little_to_free(Solver& solver, JobId contender, const Candidates& candidates);

  Session& session_;
  RoomTest with_all_gone_;
};

// Candidates that are spared, by rule; the rule that holds most GPUs first. Counts the others.
std::vector<SparedJobs> spared_jobs(const VictimPool& pool, const Candidates& candidates,
                                    std::int64_t& others);

}  // namespace muster
