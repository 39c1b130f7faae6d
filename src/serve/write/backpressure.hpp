// Detects back-pressure: decisions come faster than the API server accepts their writes. Decisions are then
// written first, and reports about them later.
#pragma once

#include <chrono>
#include <cmath>
#include <cstddef>

#include "kube/clock.hpp"

namespace muster::serve {

class WriteBackpressure {
 public:
  // Writes that are postponed are sent after this time in any case.
  static constexpr auto kLongestDelay = std::chrono::seconds(20);

  void decided(std::size_t count, kube::Clock::time_point now) {
    decided_ = left(now) + static_cast<double>(count);
    counted_at_ = now;
  }
  bool is_on(kube::Clock::time_point now) const { return left(now) > kDecisionsASecond; }

 private:
  static constexpr double kDecisionsASecond = 50;

  // Earlier decisions, with a weight that decays within a second.
  double left(kube::Clock::time_point now) const {
    return decided_ * std::exp(-std::chrono::duration<double>(now - counted_at_).count());
  }

  double decided_ = 0;
  kube::Clock::time_point counted_at_{};
};

}  // namespace muster::serve
