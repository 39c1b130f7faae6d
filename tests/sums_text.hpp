// What a cluster holds, as text by name: equal texts mean equal clusters, in whatever order they were filled.
#pragma once

#include <string>

#include "model/cluster.hpp"

namespace muster {

// Present nodes, usable queues, and the tasks and jobs that exist; the device groups of shares by name.
std::string sums_text(const Cluster& cluster);

}  // namespace muster
