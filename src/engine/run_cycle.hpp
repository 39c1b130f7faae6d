// One cycle: what is becomes what should be done.
#pragma once

#include "engine/policy.hpp"
#include "model/cluster.hpp"
#include "model/decisions.hpp"

namespace muster {

// The same cluster, policy and instant always give the same decisions. Leaves the decisions in the cluster as
// assumptions (Binding, Releasing) for the source to confirm or correct.
Decisions run_cycle(Cluster& cluster, const Policy& policy, TimePoint now);

}  // namespace muster
