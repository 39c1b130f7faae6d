// The event loop: one thread that runs HTTP transfers, timers, and the coroutines that wait for them.
//
// Only post() and stop() may be called from other threads. Nothing on the loop's thread may block.
#pragma once

#include <atomic>
#include <chrono>
#include <coroutine>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "kube/async.hpp"
#include "kube/clock.hpp"
#include "kube/http.hpp"

namespace muster::kube {

class Transfer;

class Loop {
 public:
  Loop();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Runs until stop() is called and all waiting coroutines have been resumed with a failure.
  void run();
  // Called in run() for each spawned task that an exception ends, and for posted work that throws. If unset,
  // the text goes to standard error, and a failed essential task stops the loop.
  std::function<void(const FailedTask&)> on_failed_task;
  // Ends run() and resumes waiting coroutines with a failure. May be called from any thread and any context
  // that may take a lock.
  void stop();
  bool stopping() const { return stopping_; }
  // Runs `work` on the loop's thread. May be called from any thread.
  void post(std::function<void()> work);

  // co_await sleep(d) returns true after `d`, or false if the loop is stopping.
  auto sleep(std::chrono::nanoseconds d) {
    struct Awaiter {
      Loop& loop;
      Clock::time_point at;
      bool await_ready() const { return loop.stopping_; }
      void await_suspend(std::coroutine_handle<> caller) const { loop.timers_.emplace(at, caller); }
      bool await_resume() const { return !loop.stopping_; }
    };
    return Awaiter{*this, Clock::now() + d};
  }

  // co_await offload(f) runs f on its own thread and returns its result. The awaiting coroutine gets the
  // exception that f throws, or that starting the thread throws. If f has captures, name the lambda and the
  // awaiter: see kube/async.hpp.
  template <class Work>
  auto offload(Work work) {
    using Value = decltype(work());
    struct Awaiter {
      Loop& loop;
      Work work;
      std::optional<Value> value = {};
      std::exception_ptr failure = {};
      std::thread thread = {};
      bool await_ready() const { return false; }
      bool await_suspend(std::coroutine_handle<> caller) {
        try {
          thread = std::thread([this, caller] { run(caller); });
        } catch (...) {
          failure = std::current_exception();
          return false;
        }
        ++loop.offloaded_;  // from here until it is done, the other thread owns all members but `thread`
        return true;
      }
      Value await_resume() {
        if (thread.joinable()) thread.join();
        if (failure) std::rethrow_exception(failure);
        return std::move(*value);
      }
      void run(std::coroutine_handle<> caller) {
        try {
          value.emplace(work());
        } catch (...) {
          failure = std::current_exception();
        }
        loop.post([this, caller] {
          --loop.offloaded_;
          caller.resume();
        });
      }
    };
    return Awaiter{*this, std::move(work)};
  }

  // REQUIRES: `tls` outlives the transfer.
  Async<HttpResponse> send(HttpRequest request, const TlsIdentity* tls);
  // Cancels all writes in flight, or all transfers of an owner. Their coroutines resume with a failure.
  void abort_writes();
  void abort(const void* owner);

 private:
  friend class Transfer;
  friend class Signal;

  using Timers = std::multimap<Clock::time_point, std::coroutine_handle<>>;

  void run_posted();
  void report(const FailedTask& failed);
  void run_timers();
  void start_transfers();
  void finish_transfers();
  template <class Predicate>
  void abort_if(Predicate&& predicate);
  void end_waits();
  int poll_milliseconds() const;

  void* multi_;                           // CURLM
  std::map<void*, Transfer*> transfers_;  // by easy handle
  std::vector<void*> starting_;           // added later: libcurl's callbacks may not add handles
  std::vector<void*> idle_handles_;
  Timers timers_;
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;
  std::atomic<bool> stop_asked_ = false;
  bool stopping_ = false;
  int offloaded_ = 0;
};

namespace loop_detail {

template <class T>
Async<void> keep_and_stop(Loop* loop, Async<T> work, std::optional<T>* result, std::exception_ptr* failure) {
  try {
    T value = co_await std::move(work);
    result->emplace(std::move(value));
  } catch (...) {
    *failure = std::current_exception();
  }
  loop->stop();
}

}  // namespace loop_detail

// Runs the loop until `work` is done. Returns its result, or rethrows its exception.
template <class T>
T run_alone(Loop& loop, Async<T> work) {
  std::optional<T> result;
  std::exception_ptr failure;
  const auto begin = [&] {
    spawn(loop_detail::keep_and_stop(&loop, std::move(work), &result, &failure), "run alone");
  };
  loop.post(begin);
  loop.run();
  if (failure) std::rethrow_exception(failure);
  return *std::move(result);
}

}  // namespace muster::kube
