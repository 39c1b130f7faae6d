// How long a run took, and what it cost.
#pragma once

#include <vector>

#include "cli/simulation.hpp"

namespace muster::cli {

struct Timing {
  double read_ms = 0, cpu_ms = 0, peak_rss_mb = 0;
};

// Processor time and memory of this process so far.
Timing timing_of_process(double read_ms);

// Opening and actions of all rounds together; other decisions are not in it.
Decisions summed_stats(const SimulationResult& result);

}  // namespace muster::cli
