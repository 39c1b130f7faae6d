// The priority classes that KAI-Scheduler ships. Files may name them without defining them.
#pragma once

#include "model/cluster.hpp"

namespace muster::loader {

// Adds the classes that the cluster lacks, so that questions about jobs may name them.
void add_shipped_priority_classes(Cluster& cluster);

}  // namespace muster::loader
