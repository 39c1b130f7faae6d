// Which queues and pods use a resource of the cluster, for reports about pending jobs.
#pragma once

#include "model/cluster.hpp"
#include "model/decisions.hpp"

namespace muster {

// One pass over all tasks. Shared GPUs count by their share; terminating pods count until they are gone.
Holders holders_of(const Cluster& cluster, Kind kind);

// Adds to pending jobs the users of the resources they lack. Called by reports, not by the cycle.
void name_holders(const Cluster& cluster, std::vector<WaitingJob>& waiting);

}  // namespace muster
