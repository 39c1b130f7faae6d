// Waits that grow from failure to failure, with jitter so that clients do not come back together.
#pragma once

#include <algorithm>
#include <chrono>
#include <random>

namespace muster::kube {

class Backoff {
 public:
  using Wait = std::chrono::milliseconds;
  explicit Backoff(Wait first = Wait(100), Wait longest = Wait(10'000)) : first_(first), longest_(longest) {}

  // At least what the server asked for.
  Wait next(Wait asked = Wait(0)) {
    wait_ = wait_ == Wait(0) ? first_ : std::min(2 * wait_, longest_);
    const double part = std::uniform_real_distribution<>(0.5, 1.0)(random());
    return std::max(asked, std::chrono::duration_cast<Wait>(part * wait_));
  }
  void reset() { wait_ = Wait(0); }

 private:
  static std::minstd_rand& random() {
    static thread_local std::minstd_rand engine{std::random_device()()};
    return engine;
  }
  Wait first_, longest_, wait_{0};
};

}  // namespace muster::kube
