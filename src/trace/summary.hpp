// The total demand of a trace, to look at before simulating it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/trace.hpp"

namespace muster::trace {

struct QueueSummary {
  std::string name;
  std::size_t jobs = 0, pods = 0, users = 0;
  double gpus_of_largest = 0;  // GPUs of the largest job
  double gpu_seconds = 0;      // of jobs with a known duration
};

struct TraceSummary {
  QueueSummary all;
  std::vector<QueueSummary> queues;  // by name
  Duration span{};                   // from the first submission to the last
  std::size_t endless = 0;           // jobs that never end
  std::size_t drawn = 0;             // jobs whose duration is drawn during the simulation
};

TraceSummary summary_of(const Trace& trace);

}  // namespace muster::trace
