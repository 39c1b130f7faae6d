// Async<T>: a coroutine that gives a T when it is done. It starts when it is awaited, or spawned, and runs on
// the thread of the loop that resumes what it waits for (kube/loop.hpp).
//
// Exceptions: one that leaves a coroutine is kept and thrown again in the coroutine that awaits it. One that
// leaves a spawned task, which has no awaiting coroutine, ends that task only: it is reported to the handler
// of the thread (FailedTaskHandler), and resuming a coroutine never throws. A task that keeps state for
// others (a lock, a latch that others wait for) must set it right itself when it is left by an exception.
//
// g++ 12 makes wrong code of co_await inside the condition of a loop, and destroys twice what is made inside
// a co_await expression by a lambda with captures or by braces: give both a name first. A test looks for this
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

// The awaiting coroutine goes on when this one ends.
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
  std::exception_ptr failure;  // what left the coroutine
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
  // Throws what left the coroutine.
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

// Whether the process can do its work without the task. Essential tasks run as long as the process does.
enum class TaskKind { kInessential, kEssential };

// A spawned task that was left by an exception.
struct FailedTask {
  std::string name;    // as it was spawned
  std::string reason;  // the text of the exception
  TaskKind kind = TaskKind::kInessential;
  // "the task watching pods failed: bad allocation"
  std::string text() const;
};

// While it lives, the spawned tasks that fail on this thread are reported to `report`. Without any, the text
// goes to standard error, and an essential task ends the process with std::abort().
class FailedTaskHandler {
 public:
  explicit FailedTaskHandler(std::function<void(const FailedTask&)> report);
  ~FailedTaskHandler();
  FailedTaskHandler(const FailedTaskHandler&) = delete;
  FailedTaskHandler& operator=(const FailedTaskHandler&) = delete;

  // To the handler of this thread. An exception of the handler itself goes to standard error.
  static void report(const FailedTask& failed) noexcept;

 private:
  const std::function<void(const FailedTask&)> report_;
  FailedTaskHandler* const outer_;
};

// One line on standard error, where there is no log.
void print_error(const std::string& text);

// The text of the exception that is being handled; for use in a catch block.
std::string text_of_exception(const std::exception_ptr& exception);

namespace async_detail {

// Starts at once and owns itself.
struct Detached {
  struct promise_type {
    Detached get_return_object() const noexcept { return {}; }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    // Nothing leaves run_detached().
    [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }
  };
};

Detached run_detached(Async<void> work, std::string name, TaskKind kind);

}  // namespace async_detail

// Runs the coroutine on its own; no other coroutine learns when it ends. The name is for the log.
inline void spawn(Async<void> work, std::string name = "without a name",
                  TaskKind kind = TaskKind::kInessential) {
  async_detail::run_detached(std::move(work), std::move(name), kind);
}

}  // namespace muster::kube
