// Plays the arrival of pods through the engine: they come a few at a time, what fits nowhere is dropped.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/cycle/policy.hpp"
#include "trace.hpp"

namespace muster::bench::openb {

struct Outcome {
  double at_100 = 0,
         at_end = 0;        // per cent of the GPUs that are allocated: when 100 % was asked for, and then
  double milliseconds = 0;  // CPU time of the cycles
  std::int64_t pods = 0, placed = 0;
};

// `batch`: pods that come between two cycles; 0: all at once.
Outcome replay(const Trace& trace, const std::vector<Ask>& pods, const Policy& policy, int batch);

// What moving pods wins back: all pods wait at once, and none is dropped.
struct Healing {
  double packed = 0, healed = 0;  // per cent of the GPUs: after the first cycle's allocate, and in the end
  std::int64_t moves = 0;
  double milliseconds = 0;
};
Healing heal(const Trace& trace, const std::vector<Ask>& pods, const Policy& policy, int cycles);

}  // namespace muster::bench::openb
