// Whether so much is decided that the API server is at its limit: then it gets the decisions first, and what
// is told about them later.
#pragma once

#include <chrono>
#include <cmath>
#include <cstddef>

#include "kube/clock.hpp"

namespace muster::serve {

class Rush {
 public:
  // What is put off for it is written after so long all the same.
  static constexpr auto kLongestDelay = std::chrono::seconds(20);

  void decided(std::size_t count, kube::Clock::time_point now) {
    decided_ = left(now) + static_cast<double>(count);
    counted_at_ = now;
  }
  bool is_on(kube::Clock::time_point now) const { return left(now) > kDecisionsASecond; }

 private:
  static constexpr double kDecisionsASecond = 50;

  // What was decided before fades within a second.
  double left(kube::Clock::time_point now) const {
    return decided_ * std::exp(-std::chrono::duration<double>(now - counted_at_).count());
  }

  double decided_ = 0;
  kube::Clock::time_point counted_at_{};
};

}  // namespace muster::serve
