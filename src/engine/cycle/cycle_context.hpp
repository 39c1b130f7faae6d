// Optional inputs that a caller may lend to a cycle. They never change what is found, only how far the cycle
// gets and what it costs.
#pragma once

#include "model/id_set.hpp"
#include "model/ids.hpp"
#include "util/stopwatch.hpp"

namespace muster {

class SearchMemory;
class SelectorResults;

struct CycleContext {
  SearchMemory* memory = nullptr;        // lets the next cycle resume a search that ended early at a limit
  const Stopwatch* stopwatch = nullptr;  // for time limits and timings; null: no time passes
  SelectorResults* selector_results = nullptr;  // spares the next cycle evaluations of device selectors
  // Jobs that cannot be placed as far as the caller knows. The cycle neither tries nor reports them, but
  // their requests still count for their queues. Null: none.
  const IdSet<JobId>* set_aside = nullptr;
  // Jobs that no node takes, for reasons the caller knows. The cycle does not count nodes for them, silently
  // skips a search for them if it cannot succeed, and reports them only if something else prevents them from
  // starting. Null: none.
  const IdSet<JobId>* known_to_wait = nullptr;

  Duration elapsed() const { return stopwatch != nullptr ? stopwatch->elapsed() : Duration::zero(); }
};

}  // namespace muster
