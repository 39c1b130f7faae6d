// An answer that the loop's thread gives to another, which waits for it: not for ever, and not once all ends.
#pragma once

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>

#include "kube/loop.hpp"

namespace muster::serve {

// `begin(promise)` runs on the loop's thread and sees to it that the promise is kept. Nothing: it was not in
// time.
template <class T, class Begin>
std::optional<T> answer_of_loop(kube::Loop& loop, const std::atomic<bool>& is_closing,
                                std::chrono::seconds most, Begin begin) {
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
