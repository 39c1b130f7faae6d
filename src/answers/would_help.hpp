// Finds single changes that would let a pending job run. Tries each change by running cycles on a copy of the
// state, and offers the smallest sufficient amount of each kind.
#pragma once

#include <vector>

#include "answers/change.hpp"
#include "answers/state.hpp"
#include "util/stopwatch.hpp"

namespace muster::answers {

struct Help {
  Change change;
  std::vector<JobId> evicts;  // lose pods only with the change
  std::vector<JobId> delays;  // would be placed only without the change
};

struct Helps {
  std::vector<Help> changes;  // the cheapest first
  bool is_cut = false;        // the time limit was reached; there may be more
  bool starts_by_itself = false;
  int cycles = 0;  // number of cycles after which it starts by itself
};

struct HelpLimits {
  Duration time = std::chrono::seconds(2);
  const Stopwatch& stopwatch;
};

// `unchanged` is the outcome without any change, `waiting` what its first cycle reports about the job.
Helps would_help(const State& state, const Outcome& unchanged, const WaitingJob& waiting,
                 const HelpLimits& limits);

}  // namespace muster::answers
