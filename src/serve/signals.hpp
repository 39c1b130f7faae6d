// Signals of the process as calls on a thread of their own.
#pragma once

#include <csignal>
#include <functional>
#include <thread>

namespace muster::serve {

// While it lives, SIGTERM, SIGINT and SIGUSR1 are told to `on_signal`. To be made before any other thread.
class Signals {
 public:
  explicit Signals(std::function<void(int)> on_signal) {
    sigset_t set = watched();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    thread_ = std::thread([on_signal = std::move(on_signal)] {
      const sigset_t all = watched();
      for (int signal = 0; sigwait(&all, &signal) == 0 && signal != kEnd;) on_signal(signal);
    });
  }
  ~Signals() {
    pthread_kill(thread_.native_handle(), kEnd);
    thread_.join();
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

 private:
  static constexpr int kEnd = SIGUSR2;
  static sigset_t watched() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGTERM, SIGINT, SIGUSR1, kEnd}) sigaddset(&set, signal);
    return set;
  }
  std::thread thread_;
};

}  // namespace muster::serve
