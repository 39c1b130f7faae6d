// Priority classes that KAI-Scheduler ships: files may name them without having them.
#pragma once

#include "model/cluster.hpp"

namespace muster::cli {

// Adds those that the cluster lacks, so that a job may be asked about with one of them.
void add_known_classes(Cluster& cluster);

}  // namespace muster::cli
