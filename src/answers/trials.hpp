// Tries changes on copies of a state, to find out whether the job then runs and which other jobs it affects.
#pragma once

#include <optional>

#include "answers/would_help.hpp"

namespace muster::answers {

class Trials {
 public:
  // `unchanged` is the outcome without any change.
  Trials(const State& state, const Outcome& unchanged, JobId job, const HelpLimits& limits);

  // Returns nothing if the change does not help, or if the time is up.
  std::optional<Help> try_out(Change change);
  bool is_time_up() const { return limits_.stopwatch.elapsed() - start_ >= limits_.time; }

 private:
  std::vector<JobId> evicted_by(const FixedPoint& settled) const;
  std::vector<JobId> delayed() const;

  const State& state_;
  const Outcome& unchanged_;
  const JobId job_;
  const HelpLimits limits_;
  const Duration start_;
  Cluster scratch_;  // kept to reuse its memory in every trial
};

}  // namespace muster::answers
