// Several cycles one after the other over an embedded cluster.
#pragma once

#include <functional>

#include "engine/cycle/policy.hpp"
#include "model/cluster.hpp"
#include "model/decisions.hpp"

namespace muster::cli {

struct RoundOptions {
  int cycles = 1;
  TimePoint now{};  // of the first cycle
  Duration interval{};
};

struct Round {
  int cycle = 0;
  TimePoint now{};
  Decisions decisions;
};

// Called with what a cycle decided, before it is carried out. False: the run ends with this cycle.
using OnRound = std::function<bool(const Round&)>;

// What each cycle decides is carried out before the next. Only the last round is kept, so that a run needs no
// more memory the longer it is.
Round run_rounds(Cluster& cluster, const Policy& policy, const RoundOptions& options,
                 const OnRound& on_round);

}  // namespace muster::cli
