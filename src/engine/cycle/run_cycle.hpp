// One cycle: what is becomes what should be done.
#pragma once

#include "engine/cycle/policy.hpp"
#include "model/cluster.hpp"
#include "model/decisions.hpp"

namespace muster {

class SearchMemory;

// The same cluster, policy and instant always give the same decisions. Leaves the decisions in the cluster as
// assumptions (Binding, Releasing) for the source to confirm or correct. With a memory, a search that a limit
// cut short is resumed by the next cycle.
Decisions run_cycle(Cluster& cluster, const Policy& policy, TimePoint now, SearchMemory* memory = nullptr);

}  // namespace muster
