// Several coroutines at once, for one that needs all of them.
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
  std::size_t open;
  Latch done = {};
  std::exception_ptr failure = {};  // the first one
};

inline Async<void> counted(Async<void> work, State& state) {
  try {
    co_await std::move(work);
  } catch (...) {
    if (!state.failure) state.failure = std::current_exception();
  }
  if (--state.open == 0) state.done.open();
}

}  // namespace together_detail

// Begins all of them and goes on when the last is done. Throws the first exception that left one of them.
inline Async<void> together(std::vector<Async<void>> work) {
  together_detail::State state{.open = work.size()};
  if (state.open == 0) co_return;
  for (Async<void>& one : work) spawn(together_detail::counted(std::move(one), state), "one of several");
  co_await state.done.opened();
  if (state.failure) std::rethrow_exception(state.failure);
}

}  // namespace muster::kube
