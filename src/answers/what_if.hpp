// Runs the same state with and without changes until both are settled, and compares the results.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "answers/change.hpp"
#include "answers/start_estimate.hpp"
#include "answers/state.hpp"

namespace muster::answers {

struct StillWaiting {
  std::string job;
  const WaitingJob* why = nullptr;  // from the last cycle after the changes
};
struct ReasonChange {
  std::string job;
  std::vector<std::string> before, after;  // reason codes; none: the job was not pending
};

// The estimated start of a job that is pending in both outcomes; nullopt if it does not start, or if the
// start is unknown.
struct StartMove {
  std::string job;
  std::optional<TimePoint> before, after;
};

// Jobs by "namespace/name", sorted by name.
struct Differences {
  std::vector<std::string> placed;   // at their minimum only after the changes
  std::vector<std::string> evicted;  // lose a pod by a decision only after the changes
  std::vector<std::string> moved;    // have a pod that runs in both, on different nodes
  std::vector<std::string> lost;     // at their minimum only before; not evicted, drained or deleted
  std::vector<std::string> drained;  // had pods on a drained or removed node
  std::vector<StillWaiting> still_waiting;
  std::vector<ReasonChange> reasons;
  std::vector<StartMove> starts;  // changed estimates of jobs that are pending in both
};

// Compares by name: objects may differ, and the ids of the two clusters are unrelated.
Differences compare(const Outcome& before, const Outcome& after, std::vector<std::string> drained);

// A state and its outcome.
struct Played {
  const State& state;
  const Outcome& outcome;
};
std::vector<StartMove> moved_starts(const Played& before, const Played& after, const FutureLimits& limits);

}  // namespace muster::answers
