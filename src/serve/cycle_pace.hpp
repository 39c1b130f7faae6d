// When the next cycle may come, and when it must.
#pragma once

#include <algorithm>
#include <chrono>

#include "kube/loop.hpp"

namespace muster::serve {

class CyclePace {
 public:
  using Clock = kube::Clock;

  // A cycle took so long; the next comes within `period`. Between the two there is three times as long as it
  // took, where that is reasonable: what comes in quick succession is decided together, and others need the
  // processor.
  void ran(Clock::duration took, Clock::duration period) {
    const auto now = Clock::now();
    earliest_ = now + std::clamp<Clock::duration>(3 * took, kShortestGap,
                                                  std::max<Clock::duration>(took, kLongestGap));
    latest_ = now + period;
  }
  void come_by(Clock::time_point at) { latest_ = std::min(latest_, at); }

  Clock::time_point earliest() const { return earliest_; }
  // The next comes even if nothing has changed.
  Clock::time_point latest() const { return std::max(earliest_, latest_); }

 private:
  static constexpr auto kShortestGap = std::chrono::milliseconds(15);
  static constexpr auto kLongestGap = std::chrono::milliseconds(250);
  Clock::time_point earliest_{}, latest_{};
};

}  // namespace muster::serve
