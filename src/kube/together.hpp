// Several coroutines at once, for one that needs all of them.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "kube/async.hpp"
#include "kube/waiting.hpp"

namespace muster::kube {
namespace together_detail {

inline Async<void> counted(Async<void> work, std::size_t& open, Latch& done) {
  co_await std::move(work);
  if (--open == 0) done.open();
}

}  // namespace together_detail

// Begins all of them and goes on when the last is done.
inline Async<void> together(std::vector<Async<void>> work) {
  std::size_t open = work.size();
  Latch done;
  if (open == 0) co_return;
  for (Async<void>& one : work) spawn(together_detail::counted(std::move(one), open, done));
  co_await done.opened();
}

}  // namespace muster::kube
