// Estimates when pending jobs will start: simulates several futures with the clock of the simulator and
// without new arrivals. Uncertain durations are drawn anew in each future.
#pragma once

#include <optional>
#include <vector>

#include "answers/run_lengths.hpp"
#include "answers/state.hpp"
#include "util/stopwatch.hpp"

namespace muster::answers {

inline constexpr int kFutures = 32;

// A reasonable number of threads for a process that has the machine to itself.
int threads_here();

struct StartEstimate {
  std::optional<TimePoint> p50, p90;  // nullopt: the job starts in too few futures
  double never = 0;                   // share of the futures in which it does not start
  EstimateBasis basis;
  int futures = 0;                // number of simulated futures
  bool is_cut = false;            // the time limit ended the simulation early
  bool rests_on_unknown = false;  // it starts only if jobs of unknown duration end
};

// How many futures to simulate, the total time for them, and the number of threads.
struct FutureLimits {
  int futures = kFutures;
  Duration time = std::chrono::seconds(1);
  int threads = 1;
  const Stopwatch& stopwatch;
};

class StartForecast {
 public:
  // Continues from the outcome of the unchanged state. Each future ends when job `target` starts or, if it is
  // not valid, when no further events are due. Jobs of unknown duration never end.
  StartForecast(const State& state, const Outcome& unchanged, JobId target, const FutureLimits& limits);

  // REQUIRES: the job was pending at the beginning.
  StartEstimate of(JobId job) const;

 private:
  using Starts = IdVector<JobId, std::optional<TimePoint>>;

  const RunLengths lengths_;
  std::vector<Starts> played_;
  std::optional<Starts> unfinished_;  // of a future that the time limit ended
  bool is_cut_ = false;               // the time limit ended some future
  bool rests_on_unknown_ = false;     // the job would start if the jobs of unknown duration ended
};

}  // namespace muster::answers
