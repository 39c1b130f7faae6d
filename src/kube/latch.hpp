// Several coroutines wait for one thing to be done.
#pragma once

#include <coroutine>
#include <utility>
#include <vector>

namespace muster::kube {

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

}  // namespace muster::kube
