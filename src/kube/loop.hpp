// The thread that owns everything live: HTTP transfers, timers, and the coroutines that wait for them.
//
// All members but post() and stop() are for the thread in run(). Nothing here blocks it.
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

  // Until stop(), and after that until all coroutines that wait have been told so.
  void run();
  // Called in run() for each spawned task that an exception has left, and for posted work that throws. Where
  // there is none, the text goes to standard error, and an essential task stops the loop.
  std::function<void(const FailedTask&)> on_failed_task;
  // From any thread or signal-safe context that may take a lock: run() ends. Waiting coroutines resume with a
  // failure.
  void stop();
  bool stopping() const { return stopping_; }
  // From any thread: `work` runs on the loop's thread.
  void post(std::function<void()> work);

  // co_await sleep(d): true after `d`, false where the loop is stopping.
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

  // co_await offload(f): runs f on a thread of its own and goes on with its result. What f throws, and the
  // failure to start a thread, is thrown in the awaiting coroutine. Name the lambda and the awaiter where f
  // captures: see kube/async.hpp.
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
        ++loop.offloaded_;  // from here on all members but `thread` are the other thread's until it is done
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

  Async<HttpResponse> send(HttpRequest request, const TlsIdentity& tls);
  // Ends all writes under way, or the transfers of an owner; each resumes as failed.
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
  template <class Which>
  void abort_those(Which&& which);
  void end_waits();
  int poll_milliseconds() const;

  void* multi_;                           // CURLM
  std::map<void*, Transfer*> transfers_;  // by easy handle
  std::vector<void*> starting_;           // libcurl takes none from within its own callbacks
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
Async<void> keep_and_stop(Loop& loop, Async<T> work, std::optional<T>& result, std::exception_ptr& failure) {
  try {
    T value = co_await std::move(work);
    result.emplace(std::move(value));
  } catch (...) {
    failure = std::current_exception();
  }
  loop.stop();
}

}  // namespace loop_detail

// Runs a loop for one task until it is done. Returns what the task gives, or throws what left it.
template <class T>
T run_alone(Loop& loop, Async<T> work) {
  std::optional<T> result;
  std::exception_ptr failure;
  const auto begin = [&] {
    spawn(loop_detail::keep_and_stop(loop, std::move(work), result, failure), "run alone");
  };
  loop.post(begin);
  loop.run();
  if (failure) std::rethrow_exception(failure);
  return *std::move(result);
}

}  // namespace muster::kube
