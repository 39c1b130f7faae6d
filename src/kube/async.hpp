// Async<T>: a coroutine that gives a T when it is done. It starts when it is awaited, or spawned, and runs on
// the thread of the loop that resumes what it waits for (kube/loop.hpp).
//
// g++ 12 makes wrong code of co_await inside the condition of a loop, and destroys twice what is made inside a
// co_await expression by a lambda with captures or by braces: give both a name first. A test looks for this
// (tests/co_await_test.cpp).
#pragma once

#include <cassert>
#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace muster::kube {

template <class T>
class Async;

namespace async_detail {

// Who waits goes on when the coroutine ends.
struct ResumeCaller {
  bool await_ready() const noexcept { return false; }
  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> done) const noexcept {
    return done.promise().caller ? done.promise().caller : std::noop_coroutine();
  }
  void await_resume() const noexcept {}
};

struct PromiseBase {
  std::coroutine_handle<> caller;
  std::suspend_always initial_suspend() const noexcept { return {}; }
  ResumeCaller final_suspend() const noexcept { return {}; }
  [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }
};

template <class T>
struct Promise : PromiseBase {
  std::optional<T> value;
  Async<T> get_return_object();
  void return_value(T result) { value.emplace(std::move(result)); }
  T take() { return std::move(*value); }
};

template <>
struct Promise<void> : PromiseBase {
  Async<void> get_return_object();
  void return_void() const noexcept {}
  void take() const noexcept {}
};

}  // namespace async_detail

template <class T = void>
class [[nodiscard]] Async {
 public:
  using promise_type = async_detail::Promise<T>;

  explicit Async(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  Async(Async&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Async& operator=(Async&&) = delete;
  ~Async() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) noexcept {
    handle_.promise().caller = caller;
    return handle_;
  }
  T await_resume() { return handle_.promise().take(); }

 private:
  std::coroutine_handle<promise_type> handle_;
};

namespace async_detail {

template <class T>
Async<T> Promise<T>::get_return_object() {
  return Async<T>(std::coroutine_handle<Promise<T>>::from_promise(*this));
}
inline Async<void> Promise<void>::get_return_object() {
  return Async<void>(std::coroutine_handle<Promise<void>>::from_promise(*this));
}

// Starts at once and owns itself.
struct Detached {
  struct promise_type {
    Detached get_return_object() const noexcept { return {}; }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }
  };
};

}  // namespace async_detail

// Runs the coroutine on its own; nobody learns when it ends.
inline async_detail::Detached spawn(Async<void> work) { co_await std::move(work); }

}  // namespace muster::kube
