// Ways to wait: several coroutines for one event (Latch), for an event with a timeout (Signal), and longer
// after each failure (Backoff).
#pragma once

#include <algorithm>
#include <chrono>
#include <coroutine>
#include <random>
#include <utility>
#include <vector>

#include "kube/loop.hpp"

namespace muster::kube {

// Lets several coroutines wait for one event.
class Latch {
 public:
  bool is_open() const { return is_open_; }

  void open() {
    is_open_ = true;
    for (const auto caller : std::exchange(waiting_, {})) caller.resume();
  }

  // co_await latch.opened()
  auto opened() {
    struct Awaiter {
      Latch& latch;
      bool await_ready() const { return latch.is_open_; }
      void await_suspend(std::coroutine_handle<> caller) const { latch.waiting_.push_back(caller); }
      void await_resume() const {}
    };
    return Awaiter{*this};
  }

 private:
  bool is_open_ = false;
  std::vector<std::coroutine_handle<>> waiting_;
};

// Wakes one waiting coroutine, or lets it time out. give() may be called from callbacks of transfers.
class Signal {
 public:
  explicit Signal(Loop& loop) : loop_(loop) {}

  void give() {
    if (!is_waiting_) {
      is_given_ = true;
    } else if (timer_->first > Clock::now()) {
      const auto caller = timer_->second;
      loop_.timers_.erase(timer_);
      timer_ = loop_.timers_.emplace(Clock::time_point{}, caller);
    }
  }

  // co_await until(t) returns at time t or when the signal is given; immediately if it was given since the
  // last wait.
  auto until(Clock::time_point at) {
    struct Awaiter {
      Signal& signal;
      Clock::time_point at;
      bool await_ready() const { return std::exchange(signal.is_given_, false) || signal.loop_.stopping_; }
      void await_suspend(std::coroutine_handle<> caller) const {
        signal.is_waiting_ = true;
        signal.timer_ = signal.loop_.timers_.emplace(at, caller);
      }
      void await_resume() const { signal.is_waiting_ = false; }
    };
    return Awaiter{*this, at};
  }

 private:
  Loop& loop_;
  bool is_given_ = false, is_waiting_ = false;
  Loop::Timers::iterator timer_;
};

// Waits that grow with each failure, with jitter so that clients do not retry in step.
class Backoff {
 public:
  using Wait = std::chrono::milliseconds;
  explicit Backoff(Wait first = Wait(100), Wait longest = Wait(10'000)) : first_(first), longest_(longest) {}

  // Returns at least `minimum`, which the server requested.
  Wait next(Wait minimum = Wait(0)) {
    wait_ = wait_ == Wait(0) ? first_ : std::min(2 * wait_, longest_);
    const double part = std::uniform_real_distribution<>(0.5, 1.0)(random());
    return std::max(minimum, std::chrono::duration_cast<Wait>(part * wait_));
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
