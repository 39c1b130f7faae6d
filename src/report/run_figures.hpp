// The figures of a run over simulated time, shared by the text, JSON, comparison and page outputs. See
// docs/time.md 5.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/run_outcome.hpp"

namespace muster::report {

// Statistics of a list of numbers. Percentiles use the nearest rank, so they are elements of the list.
struct Spread {
  double mean = 0, p50 = 0, p95 = 0, p99 = 0, max = 0;
};
// Returns nullopt if the list is empty.
std::optional<Spread> spread_of(std::vector<double> values);

struct QueueFigures {
  std::string name;  // "": all queues together
  std::size_t jobs = 0, finished = 0, failed = 0, never_started = 0;
  std::optional<Spread> wait_seconds;  // of the jobs that started
  // For each finished job, the time from submission to finish divided by the duration of an undisturbed run.
  std::optional<Spread> slowdown;
  double used = 0, fair = 0, lost = 0;  // GPU-seconds
  std::map<std::string, std::int64_t> evictions;
  std::int64_t requeues = 0;

  std::int64_t evicted_pods() const;
};

struct RunFigures {
  std::vector<QueueFigures> queues;  // in the order of the outcome, then the queues that only jobs name
  QueueFigures all;
  std::optional<double> makespan_seconds;  // until the last job finished; nullopt: none finished
};

RunFigures figures_of(const RunOutcome& outcome);

}  // namespace muster::report
