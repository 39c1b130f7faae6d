// The thread that owns everything live: HTTP transfers, timers, and the coroutines that wait for them.
//
// All members but post() and stop() are for the thread in run(). Nothing here blocks it.
#pragma once

#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "kube/async.hpp"

namespace muster::kube {

using Clock = std::chrono::steady_clock;

struct HttpRequest {
  std::string method = "GET";
  std::string url;
  std::vector<std::string> headers;
  std::string body;
  std::chrono::milliseconds timeout{30'000};
  // Given the body of a good answer line by line as it comes, without the line's end; false ends the
  // transfer. Where there is none, the body is collected.
  std::function<bool(std::string_view)> on_line;
  const void* owner = nullptr;  // for Loop::abort
  bool is_write() const { return method != "GET"; }
};

struct HttpResponse {
  int status = 0;  // 0: no answer; `error` says why
  std::string body, error;
  std::chrono::seconds retry_after{0};
  bool ok() const { return status >= 200 && status < 300; }
};

// Certificates as PEM text; "" where there is none.
struct TlsIdentity {
  std::string authority, certificate, key;
};

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
  std::size_t transfers() const { return transfers_.size(); }

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

// Wakes one waiting coroutine, at the latest at a given time. May be given from within transfers.
class Signal {
 public:
  explicit Signal(Loop& loop) : loop_(loop) {}

  void give() {
    if (!is_waiting_) {
      is_given_ = true;
    } else if (timer_->first > Clock::now()) {
      const auto caller = timer_->second;
      loop_.timers_.erase(timer_);
      timer_ = loop_.timers_.emplace(Clock::time_point{}, caller);
    }
  }

  // co_await until(t): at once where the signal was given since the last wait.
  auto until(Clock::time_point at) {
    struct Awaiter {
      Signal& signal;
      Clock::time_point at;
      bool await_ready() const { return std::exchange(signal.is_given_, false) || signal.loop_.stopping_; }
      void await_suspend(std::coroutine_handle<> caller) const {
        signal.is_waiting_ = true;
        signal.timer_ = signal.loop_.timers_.emplace(at, caller);
      }
      void await_resume() const { signal.is_waiting_ = false; }
    };
    return Awaiter{*this, at};
  }

 private:
  Loop& loop_;
  bool is_given_ = false, is_waiting_ = false;
  Loop::Timers::iterator timer_;
};

}  // namespace muster::kube
