// When jobs that wait will start, as far as anybody knows how long others run: futures are played with the
// clock of the simulator, without new arrivals, and what is not known for sure is drawn anew in each.
#pragma once

#include <optional>
#include <vector>

#include "answers/run_lengths.hpp"
#include "answers/state.hpp"
#include "util/stopwatch.hpp"

namespace muster::answers {

inline constexpr int kFutures = 32;

// For who has the machine to itself: as many as it runs at once, within reason.
int threads_here();

struct StartEstimate {
  std::optional<TimePoint> p50, p90;  // nothing: in fewer futures than that
  double never = 0;                   // share of futures in which it does not start
  EstimateBasis basis;
  int futures = 0;                // that this is said of
  bool is_cut = false;            // there was more future than time to look at it
  bool rests_on_unknown = false;  // it starts only if jobs end of which nobody knows how long they run
};

// How many futures, how long to play them in all, and by how many at once.
struct FutureLimits {
  int futures = kFutures;
  Duration time = std::chrono::seconds(1);
  int threads = 1;  // that play
  const Stopwatch& stopwatch;
};

class Futures {
 public:
  // Plays on from what becomes of the state by itself. Each ends when `wanted` has its place; not valid: when
  // nothing is left to happen. Jobs whose length nobody knows never end.
  Futures(const State& state, const Outcome& unchanged, JobId wanted, const FutureLimits& limits);

  // Of a job that waited at the beginning.
  StartEstimate of(JobId job) const;

 private:
  using Starts = IdVector<JobId, std::optional<TimePoint>>;

  const RunLengths lengths_;
  std::vector<Starts> played_;
  std::optional<Starts> unfinished_;  // of one that time did not suffice for
  bool is_cut_ = false;               // it did not for some
  bool rests_on_unknown_ = false;     // the job that was wanted would start if those ended of unknown length
};

}  // namespace muster::answers
