#include "serve/web/views.hpp"

namespace muster::serve {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kFresh = std::chrono::seconds(1), kLongestWait = std::chrono::seconds(10);

}  // namespace

std::shared_ptr<const ClusterView> Views::ask() {
  std::unique_lock lock(mutex_);
  const auto is_fresh = [this] { return view_ != nullptr && Clock::now() - made_ < kFresh; };
  if (is_fresh()) return view_;
  is_asked_ = true;
  lock.unlock();
  wake_();
  lock.lock();
  const auto asked = Clock::now();
  const auto is_there = [&] { return view_ != nullptr && made_ >= asked - kFresh; };
  answered_.wait_for(lock, kLongestWait, [&] { return is_closed_ || is_there(); });
  return is_there() ? view_ : nullptr;
}

void Views::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  answered_.notify_all();
}

bool Views::is_asked() const {
  const std::lock_guard lock(mutex_);
  return is_asked_;
}

void Views::answer(std::shared_ptr<const ClusterView> view) {
  const std::lock_guard lock(mutex_);
  view_ = std::move(view);
  made_ = Clock::now();
  is_asked_ = false;
  answered_.notify_all();
}

}  // namespace muster::serve
