// Clusters in which nothing happens but the scheduler's own decisions: gangs in 24 queues below 4
// departments, random but the same for a seed.
#pragma once

#include "model/cluster.hpp"

namespace muster::bench {

struct StaticShape {
  int nodes = 20;      // of 8 GPUs
  double load = 3;     // GPUs that pending jobs request, as a multiple of all GPUs
  bool full = false;   // running jobs, placed at random, fill the nodes
  int elastic_in = 0;  // one job in so many is elastic; 0: none
};

// The time at which a static cluster starts: 2025-06-01 12:00.
TimePoint static_start();
Cluster make_static_cluster(const StaticShape& shape, unsigned seed);

}  // namespace muster::bench
