// A clock for tests that advances by one second each time it is read.
#pragma once

#include "util/stopwatch.hpp"

namespace muster {

class RushingStopwatch final : public Stopwatch {
 public:
  Duration elapsed() const override { return elapsed_ += std::chrono::seconds(1); }

 private:
  mutable Duration elapsed_{};
};

}  // namespace muster
