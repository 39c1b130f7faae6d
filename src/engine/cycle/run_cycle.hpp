// One cycle: what is becomes what should be done.
#pragma once

#include "engine/cycle/cycle_aids.hpp"
#include "engine/cycle/policy.hpp"
#include "model/cluster.hpp"
#include "model/decisions.hpp"

namespace muster {

// The same cluster, policy and instant always give the same decisions, as long as no limit of time strikes.
// Leaves the decisions in the cluster as assumptions (Binding, Releasing) for the source to confirm or
// correct.
Decisions run_cycle(Cluster& cluster, const Policy& policy, TimePoint now, const CycleAids& aids = {});

}  // namespace muster
