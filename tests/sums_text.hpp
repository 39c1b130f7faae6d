// The contents of a cluster as text by name: equal texts mean equal clusters, in whatever order they were
// filled.
#pragma once

#include <string>

#include "model/cluster.hpp"

namespace muster {

// Present nodes, usable queues, and existing tasks and jobs; shared GPUs by name.
std::string sums_text(const Cluster& cluster);

}  // namespace muster
