// Runs one scheduling cycle.
#pragma once

#include "engine/cycle/cycle_context.hpp"
#include "engine/cycle/policy.hpp"
#include "model/cluster.hpp"
#include "model/decisions.hpp"

namespace muster {

// Deterministic: the same cluster, policy and `now` always give the same decisions unless a time limit is
// reached. Leaves the decisions in the cluster as assumptions (Binding, Releasing), which the source confirms
// or corrects.
Decisions run_cycle(Cluster& cluster, const Policy& policy, TimePoint now, const CycleContext& aids = {});

}  // namespace muster
