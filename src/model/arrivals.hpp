// What comes into being in simulated time, made when its instant comes: a trace of 100,000 jobs is rows, not
// pods.
#pragma once

#include <optional>
#include <vector>

#include "model/objects.hpp"

namespace muster {

// In order of time. Of one instant, in the order in which they were submitted.
class Arrivals {
 public:
  virtual ~Arrivals() = default;
  // When the next ones come; nothing: no more will. May lie before the start of the run: then they come at
  // once.
  virtual std::optional<TimePoint> next() const = 0;
  // The objects of the next arrival, a PodGroup before its pods, with that instant as their creation time.
  // Called only where there is one; moves on to the one after it.
  virtual std::vector<Object> take() = 0;
};

}  // namespace muster
