// Tries changes out on copies of a state: does the job run then, and what would it cost others?
#pragma once

#include <optional>

#include "answers/would_help.hpp"

namespace muster::answers {

class Trials {
 public:
  // `unchanged`: what becomes of the state by itself.
  Trials(const State& state, const Outcome& unchanged, JobId job, const HelpLimits& limits);

  // Nothing: it does not help, or time is up.
  std::optional<Help> try_out(Change change);
  bool is_time_up() const { return limits_.stopwatch.elapsed() - start_ >= limits_.time; }

 private:
  std::vector<JobId> evicted_by(const Rest& rest) const;
  std::vector<JobId> delayed() const;

  const State& state_;
  const Outcome& unchanged_;
  const JobId job_;
  const HelpLimits limits_;
  const Duration start_;
  Cluster scratch_;  // its memory is used again by every trial
};

}  // namespace muster::answers
