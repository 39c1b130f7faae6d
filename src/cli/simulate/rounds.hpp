// Several cycles one after the other over an embedded cluster.
#pragma once

#include <vector>

#include "engine/cycle/policy.hpp"
#include "model/cluster.hpp"
#include "model/decisions.hpp"

namespace muster::cli {

struct RoundOptions {
  int cycles = 1;
  TimePoint now{};
  Duration interval{};
};

struct Round {
  int cycle = 0;
  TimePoint now{};
  Decisions decisions;
};

// What each cycle decides is carried out before the next.
std::vector<Round> run_rounds(Cluster& cluster, const Policy& policy, const RoundOptions& options);

}  // namespace muster::cli
