// What a caller may lend to a cycle: neither changes what a search finds, only how far it gets.
#pragma once

#include "util/stopwatch.hpp"

namespace muster {

class SearchMemory;

struct CycleAids {
  SearchMemory* memory = nullptr;        // a search that a limit cut short is resumed by the next cycle
  const Stopwatch* stopwatch = nullptr;  // for limits of time, and for timings; null: no time passes

  Duration elapsed() const { return stopwatch != nullptr ? stopwatch->elapsed() : Duration::zero(); }
};

}  // namespace muster
