// Time that passes, behind an interface: who counts it can be handed any.
#pragma once

#include <chrono>

#include "util/time.hpp"

namespace muster {

class Stopwatch {
 public:
  virtual ~Stopwatch() = default;
  // Since some instant; it never grows less.
  virtual Duration elapsed() const = 0;
};

class SteadyStopwatch final : public Stopwatch {
 public:
  Duration elapsed() const override { return std::chrono::steady_clock::now().time_since_epoch(); }
};

}  // namespace muster
