// Runs several coroutines concurrently and waits for all of them.
#pragma once

#include <cstddef>
#include <exception>
#include <utility>
#include <vector>

#include "kube/async.hpp"
#include "kube/waiting.hpp"

namespace muster::kube {
namespace together_detail {

struct State {
  std::size_t running;
  Latch done = {};
  std::exception_ptr failure = {};  // the first one
};

inline Async<void> counted(Async<void> work, State* state) {
  try {
    co_await std::move(work);
  } catch (...) {
    if (!state->failure) state->failure = std::current_exception();
  }
  if (--state->running == 0) state->done.open();
}

}  // namespace together_detail

// Starts all coroutines and returns when the last one is done. Rethrows the first exception.
inline Async<void> together(std::vector<Async<void>> work) {
  together_detail::State state{.running = work.size()};
  if (state.running == 0) co_return;
  for (Async<void>& one : work) spawn(together_detail::counted(std::move(one), &state), "one of several");
  co_await state.done.opened();
  if (state.failure) std::rethrow_exception(state.failure);
}

}  // namespace muster::kube
