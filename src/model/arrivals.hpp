// Objects that arrive during simulated time. They are created only at their arrival time, so that a trace of
// 100,000 jobs is kept as rows, not as pods.
#pragma once

#include <optional>
#include <vector>

#include "model/objects.hpp"

namespace muster {

// Yields arrivals in order of time; those with the same timestamp come in the order of submission.
class Arrivals {
 public:
  virtual ~Arrivals() = default;
  // The time of the next arrival, or nullopt if there are no more. It may lie before the start of the run;
  // such objects arrive at once.
  virtual std::optional<TimePoint> next() const = 0;
  // Returns the objects of the next arrival, a PodGroup before its pods, with the arrival time as their
  // creation time, and advances to the one after it. REQUIRES: next() has a value.
  virtual std::vector<Object> take() = 0;
};

}  // namespace muster
