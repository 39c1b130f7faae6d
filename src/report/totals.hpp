// The totals of a run, as both text and JSON report them.
#pragma once

#include <cstddef>
#include <vector>

#include "model/cluster.hpp"
#include "model/decisions.hpp"
#include "sim/rounds.hpp"

namespace muster::report {

// The pods that all cycles together bound and evicted.
struct Totals {
  std::size_t bound = 0, evicted = 0;

  void add(const Decisions& decisions) {
    bound += decisions.binds.size();
    evicted += decisions.evictions.size();
  }
};

// The pending jobs and pods, independent of filters.
struct Waiting {
  std::size_t jobs = 0, pods = 0;
};
Waiting waiting_totals(const Cluster& cluster);

struct GpuTotals {
  double all = 0, in_use = 0;
};
GpuTotals gpu_totals(const Cluster& cluster);

}  // namespace muster::report
