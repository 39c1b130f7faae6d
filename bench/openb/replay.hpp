// Replays the arrival of pods through the engine: a few at a time; pods that fit nowhere are dropped.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/cycle/policy.hpp"
#include "trace.hpp"

namespace muster::bench::openb {

struct Outcome {
  double at_100 = 0,
         at_end =
             0;  // percentage of the GPUs that is allocated when 100 % have been requested, and at the end
  double milliseconds = 0;  // CPU time of the cycles
  std::int64_t pods = 0, placed = 0;
};

// `batch` pods arrive between two cycles; 0: all at once.
Outcome replay(const Trace& trace, const std::vector<Ask>& pods, const Policy& policy, int batch);

// The effect of moving pods. All pods are placed at once; those that do not fit stay pending. Then cycles
// with another policy may move running pods.
struct Healing {
  double packed = 0, healed = 0;  // percentage of GPUs allocated, before and after
  std::int64_t moves = 0;
  double milliseconds = 0;
};
struct HealingPolicies {
  const Policy& packing;
  const Policy& moving;
};
Healing heal(const Trace& trace, const std::vector<Ask>& pods, const HealingPolicies& policies, int cycles);

}  // namespace muster::bench::openb
