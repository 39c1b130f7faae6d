// Lets another thread wait for an answer of the loop's thread, for a limited time and only until shutdown.
#pragma once

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>

#include "kube/loop.hpp"

namespace muster::serve {

// Runs `begin(promise)` on the loop's thread, which must ensure that the promise is kept. Returns nullopt if
// the answer did not come in time.
template <class T, class Begin>
std::optional<T> wait_for_loop(kube::Loop& loop, const std::atomic<bool>& is_closing,
                               std::chrono::seconds most, const Begin& begin) {
  constexpr auto kLook = std::chrono::milliseconds(50);
  const auto promise = std::make_shared<std::promise<T>>();
  std::future<T> future = promise->get_future();
  loop.post([begin, promise] { begin(promise); });
  const auto end = std::chrono::steady_clock::now() + most;
  while (!is_closing && std::chrono::steady_clock::now() < end)
    if (future.wait_for(kLook) == std::future_status::ready) return future.get();
  return std::nullopt;
}

}  // namespace muster::serve
