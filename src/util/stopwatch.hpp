// An interface for elapsed time, so that callers can choose the clock.
#pragma once

#include <chrono>

#include "util/time.hpp"

namespace muster {

class Stopwatch {
 public:
  virtual ~Stopwatch() = default;
  // Time since an arbitrary start; never decreases.
  virtual Duration elapsed() const = 0;
};

class SteadyStopwatch final : public Stopwatch {
 public:
  Duration elapsed() const override { return std::chrono::steady_clock::now().time_since_epoch(); }
};

}  // namespace muster
