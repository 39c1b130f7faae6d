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

// What moving pods wins back: all pods are placed at once, those that find no place wait on, and then cycles
// with another policy may move those that run.
struct Healing {
  double packed = 0, healed = 0;  // per cent of the GPUs: before and after
  std::int64_t moves = 0;
  double milliseconds = 0;
};
struct HealingPolicies {
  const Policy& packing;
  const Policy& moving;
};
Healing heal(const Trace& trace, const std::vector<Ask>& pods, const HealingPolicies& policies, int cycles);

}  // namespace muster::bench::openb
