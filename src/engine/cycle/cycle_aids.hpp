// What a caller may lend to a cycle: nothing of it changes what is found, only how far it gets and what it
// costs.
#pragma once

#include "model/id_set.hpp"
#include "model/ids.hpp"
#include "util/stopwatch.hpp"

namespace muster {

class SearchMemory;

struct CycleAids {
  SearchMemory* memory = nullptr;        // a search that a limit cut short is resumed by the next cycle
  const Stopwatch* stopwatch = nullptr;  // for limits of time, and for timings; null: no time passes
  // Jobs that wait in vain as far as the caller knows: the cycle neither tries them nor tells of them. What
  // they want counts for their queues all the same. Null: none.
  const IdSet<JobId>* set_aside = nullptr;
  // Jobs of which the caller knows that no node takes them, and why: nodes are not counted for them, a search
  // that can not find anything is passed over without a word, and they are told of only where something else
  // stands in the way. Null: none.
  const IdSet<JobId>* known_to_wait = nullptr;

  Duration elapsed() const { return stopwatch != nullptr ? stopwatch->elapsed() : Duration::zero(); }
};

}  // namespace muster
