// Which single changes would let a job that waits run: each was tried by cycles on a copy of the state, and
// no smaller amount of the same kind is enough.
#pragma once

#include <vector>

#include "answers/change.hpp"
#include "answers/state.hpp"
#include "util/stopwatch.hpp"

namespace muster::answers {

struct Help {
  Change change;
  std::vector<JobId> evicts;  // lose pods with the change and would not without it
  std::vector<JobId> delays;  // lose a place that they would have got
};

struct Helps {
  std::vector<Help> changes;  // the cheapest first
  bool is_cut = false;        // time was up: there may be more
  bool starts_by_itself = false;
  int cycles = 0;  // then: after so many
};

struct HelpLimits {
  Duration time = std::chrono::seconds(2);
  const Stopwatch& stopwatch;
};

// `unchanged`: what becomes of the state by itself. `waiting`: what the first cycle on it says of the job.
Helps would_help(const State& state, const Outcome& unchanged, const WaitingJob& waiting,
                 const HelpLimits& limits);

}  // namespace muster::answers
