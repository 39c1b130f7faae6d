// A value that the loop's thread makes for other threads on request. The loop chooses the time, so a reader
// never delays a cycle.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

namespace muster::serve {

template <class Thing>
class Asked {
 public:
  // `wake` may be called from any thread and leads to a call of answer() soon.
  explicit Asked(std::function<void()> wake) : wake_(std::move(wake)) {}

  // Waits for a value that is at most a second old. Returns null if none came in time. May be called from any
  // thread except the loop's.
  std::shared_ptr<const Thing> ask() {
    std::unique_lock lock(mutex_);
    const auto asked = Clock::now();
    const auto is_there = [&] { return thing_ != nullptr && made_ >= asked - kFresh; };
    if (is_there()) return thing_;
    is_asked_ = true;
    lock.unlock();
    wake_();
    lock.lock();
    answered_.wait_for(lock, kLongestWait, [&] { return is_closed_ || is_there(); });
    return is_there() ? thing_ : nullptr;
  }

  // Wakes all waiting threads; later calls of ask() do not wait.
  void close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    answered_.notify_all();
  }

  // Call on the loop's thread.
  bool is_asked() const {
    const std::lock_guard lock(mutex_);
    return is_asked_;
  }
  void answer(std::shared_ptr<const Thing> thing) {
    const std::lock_guard lock(mutex_);
    thing_ = std::move(thing);
    made_ = Clock::now();
    is_asked_ = false;
    answered_.notify_all();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr auto kFresh = std::chrono::seconds(1), kLongestWait = std::chrono::seconds(10);

  const std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable answered_;
  std::shared_ptr<const Thing> thing_;
  Clock::time_point made_{};
  bool is_asked_ = false, is_closed_ = false;
};

}  // namespace muster::serve
