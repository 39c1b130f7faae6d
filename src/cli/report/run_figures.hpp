// The figures of a run over simulated time that text, JSON, comparison and page print. docs/spec/time.md 5.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/run_outcome.hpp"

namespace muster::cli {

// Of some numbers; nothing where there are none. Percentiles are values that occur: nearest rank.
struct Spread {
  double mean = 0, p50 = 0, p95 = 0, p99 = 0, max = 0;
};
std::optional<Spread> spread_of(std::vector<double> values);

struct QueueFigures {
  std::string name;  // "": all queues together
  std::size_t jobs = 0, finished = 0, failed = 0, never_started = 0;
  std::optional<Spread> wait_seconds;  // of those that started
  std::optional<Spread> slowdown;  // of those that finished: their life over the time they need undisturbed
  double used = 0, fair = 0, lost = 0;  // GPU-seconds
  std::map<std::string, std::int64_t> evictions;
  std::int64_t requeues = 0;

  std::int64_t evicted_pods() const;
};

struct RunFigures {
  std::vector<QueueFigures> queues;  // as the outcome has them, then those that only jobs name
  QueueFigures all;
  std::optional<double> makespan_seconds;  // to the last finish; nothing: none finished
};

RunFigures figures_of(const RunOutcome& outcome);

}  // namespace muster::cli
