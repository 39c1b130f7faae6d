// Runs several cycles in sequence on an embedded cluster.
#pragma once

#include <functional>

#include "engine/cycle/policy.hpp"
#include "model/cluster.hpp"
#include "model/decisions.hpp"

namespace muster {

struct RoundOptions {
  int cycles = 1;
  TimePoint now{};  // time of the first cycle
  Duration interval{};
};

struct Round {
  int cycle = 0;
  TimePoint now{};
  Decisions decisions;
};

// Called with the decisions of a cycle before they are carried out. If it returns false, the run ends with
// this cycle.
using OnRound = std::function<bool(const Round&)>;

// The decisions of each cycle are carried out before the next one. Returns the last round; earlier rounds are
// not kept, so that memory does not grow with the number of cycles.
Round run_rounds(Cluster& cluster, const Policy& policy, const RoundOptions& options,
                 const OnRound& on_round);

}  // namespace muster
