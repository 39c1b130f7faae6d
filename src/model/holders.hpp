// Who holds a resource of the cluster: for those who wait for it.
#pragma once

#include "model/cluster.hpp"
#include "model/decisions.hpp"

namespace muster {

// One pass over all tasks. Shares of GPUs count as what they are of a device; pods that terminate hold what
// they had until they are gone.
Holders holders_of(const Cluster& cluster, Kind kind);

// Tells those who wait who holds what they lack. Not the cycle does that but whoever tells of it.
void name_holders(const Cluster& cluster, std::vector<WaitingJob>& waiting);

}  // namespace muster
