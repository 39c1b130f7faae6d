// The same state with and without changes, each run until it is at rest, and what differs.
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
  const WaitingJob* why = nullptr;  // of the last cycle after the changes
};
struct ReasonChange {
  std::string job;
  std::vector<std::string> before, after;  // codes; none: it did not wait
};

// A job that waits in both, and its start; nothing: it does not start, or nobody knows.
struct StartMove {
  std::string job;
  std::optional<TimePoint> before, after;
};

// Jobs by "namespace/name", in the order of names.
struct Differences {
  std::vector<std::string> placed;   // at their minimum after, and not before
  std::vector<std::string> evicted;  // lose a pod by a decision after, and not before
  std::vector<std::string> moved;    // have a pod that runs in both, on different nodes
  std::vector<std::string> lost;  // at their minimum before, and neither after nor evicted, drained or gone
  std::vector<std::string> drained;  // had pods on a node that goes
  std::vector<StillWaiting> still_waiting;
  std::vector<ReasonChange> reasons;
  std::vector<StartMove> starts;  // estimates that move, of those that wait in both
};

// Names differ where objects came or went; the two know nothing of each other's ids.
Differences compare(const Outcome& before, const Outcome& after, std::vector<std::string> drained);

// A state and what becomes of it.
struct Played {
  const State& state;
  const Outcome& outcome;
};
std::vector<StartMove> moved_starts(const Played& before, const Played& after, const FutureLimits& limits);

}  // namespace muster::answers
