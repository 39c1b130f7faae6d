// Who holds a resource of the cluster: for those who wait for it.
#pragma once

#include "model/cluster.hpp"
#include "model/reasons.hpp"

namespace muster {

// One pass over all tasks. Shares of GPUs count as what they are of a device; pods that terminate hold what
// they had until they are gone.
Holders holders_of(const Cluster& cluster, Kind kind);

}  // namespace muster
