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

  // co_await offload(f): runs f on a thread of its own and goes on with its result.
  template <class Work>
  auto offload(Work work) {
    using Value = decltype(work());
    struct Awaiter {
      Loop& loop;
      Work work;
      std::optional<Value> value = {};
      std::thread thread = {};
      bool await_ready() const { return false; }
      void await_suspend(std::coroutine_handle<> caller) {
        ++loop.offloaded_;
        thread = std::thread([this, caller] {
          value.emplace(work());
          loop.post([this, caller] {
            --loop.offloaded_;
            caller.resume();
          });
        });
      }
      Value await_resume() {
        thread.join();
        return std::move(*value);
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

}  // namespace muster::kube
