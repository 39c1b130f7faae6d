// When jobs that wait will start, as far as anybody knows how long others run.
#pragma once

#include <optional>

#include "answers/state.hpp"
#include "util/stopwatch.hpp"

namespace muster::answers {

// What a future rests on: running jobs by what is known of their length.
struct EstimateBasis {
  std::int64_t expected = 0, history = 0, unknown = 0;
};

struct StartEstimate {
  std::optional<TimePoint> p50, p90;  // nothing: in fewer futures than that
  double never = 0;                   // share of futures in which it does not start
  EstimateBasis basis;
  bool is_cut = false;  // there was more future than time to look at it
};

struct Future {
  IdVector<JobId, std::optional<TimePoint>> starts;  // nothing: not in this future, or it runs already
  EstimateBasis basis;
  bool is_cut = false;
};

// Plays on from what becomes of the state by itself, without new arrivals: jobs end when they expect to,
// those that say nothing never do. Ends when `wanted` has its place; not valid: when nothing is left to
// happen.
Future play_future(const State& state, const Outcome& unchanged, JobId wanted, Duration time,
                   const Stopwatch& stopwatch);

StartEstimate estimate_start(const State& state, const Outcome& unchanged, JobId job, Duration time,
                             const Stopwatch& stopwatch);

}  // namespace muster::answers
