// Async<T>: a coroutine that returns a T. It starts when it is awaited or spawned, and runs on the thread of
// the loop that resumes it (kube/loop.hpp).
//
// Exceptions: an exception that leaves a coroutine is rethrown in the coroutine that awaits it. A spawned
// task has no awaiting coroutine: an exception ends that task only and is reported to the handler of the
// thread (FailedTaskHandler). Resuming a coroutine never throws. A task that holds something others wait for,
// such as a lock or a latch, must release it itself when an exception ends the task.
//
// g++ 12 miscompiles co_await inside a loop condition. Inside a co_await expression it also destroys a lambda
// with captures, or an object made with braces, twice. Give both a name first; a test checks this
// (tests/co_await_test.cpp).
#pragma once

#include <cassert>
#include <coroutine>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace muster::kube {

template <class T>
class Async;

namespace async_detail {

// Resumes the awaiting coroutine when this one ends.
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
  std::exception_ptr failure;  // the exception that left the coroutine
  std::suspend_always initial_suspend() const noexcept { return {}; }
  ResumeCaller final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { failure = std::current_exception(); }
  void throw_failure() const {
    if (failure) std::rethrow_exception(failure);
  }
};

template <class T>
struct Promise : PromiseBase {
  std::optional<T> value;
  Async<T> get_return_object();
  void return_value(T result) { value.emplace(std::move(result)); }
  T take() {
    throw_failure();
    return std::move(*value);
  }
};

template <>
struct Promise<void> : PromiseBase {
  Async<void> get_return_object();
  void return_void() const noexcept {}
  void take() const { throw_failure(); }
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
  // Rethrows the exception that left the coroutine.
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

}  // namespace async_detail

// ---------------------------------------------------------------- spawned tasks

// Whether the process depends on the task. Essential tasks run as long as the process does.
enum class TaskKind { kInessential, kEssential };

// A spawned task that an exception ended.
struct FailedTask {
  std::string name;    // the name given to spawn()
  std::string reason;  // the text of the exception
  TaskKind kind = TaskKind::kInessential;
  // "the task watching pods failed: bad allocation"
  std::string text() const;
};

// While this object exists, spawned tasks that fail on this thread are reported to `report`. Without a
// handler, the text goes to standard error, and a failed essential task ends the process with std::abort().
class FailedTaskHandler {
 public:
  explicit FailedTaskHandler(std::function<void(const FailedTask&)> report);
  ~FailedTaskHandler();
  FailedTaskHandler(const FailedTaskHandler&) = delete;
  FailedTaskHandler& operator=(const FailedTaskHandler&) = delete;

  // Reports to the handler of this thread. An exception thrown by the handler goes to standard error.
  static void report(const FailedTask& failed) noexcept;

 private:
  const std::function<void(const FailedTask&)> report_;
  FailedTaskHandler* const outer_;
};

// Prints one line to standard error; for use where there is no log.
void print_error(const std::string& text);

// Returns the text of `exception`.
std::string text_of_exception(const std::exception_ptr& exception);

namespace async_detail {

// A coroutine that starts immediately and destroys itself when it ends.
struct Detached {
  struct promise_type {
    Detached get_return_object() const noexcept { return {}; }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    // run_detached() catches every exception.
    [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }
  };
};

Detached run_detached(Async<void> work, std::string name, TaskKind kind);

}  // namespace async_detail

// Starts the coroutine without anything awaiting it. The name is for the log.
inline void spawn(Async<void> work, std::string name = "(unnamed)", TaskKind kind = TaskKind::kInessential) {
  async_detail::run_detached(std::move(work), std::move(name), kind);
}

}  // namespace muster::kube
