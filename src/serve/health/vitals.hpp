// How the daemon is, for other threads to ask: probes.
#pragma once

#include <atomic>
#include <chrono>
#include <string>

#include "kube/loop.hpp"
#include "util/time.hpp"

namespace muster::serve {

struct Vitals {
  using Clock = kube::Clock;
  std::atomic<std::int64_t> last_tick{0}, last_cycle{0}, last_contact{0};  // steady nanoseconds
  std::atomic<bool> is_synced{false}, is_leader{false}, is_draining{false};

  static std::int64_t stamp(Clock::time_point t) { return t.time_since_epoch().count(); }
  static Clock::duration age(std::int64_t stamp) {
    return Clock::now() - Clock::time_point(Clock::duration(stamp));
  }

  // Both in words; "": all is well.
  std::string not_alive() const { return age(last_tick) > kHung ? "the event loop hangs" : ""; }
  std::string not_ready(Duration schedule_period) const {
    if (!is_synced) return "not all kinds have been listed yet";
    if (is_draining) return "shutting down";
    if (age(last_contact) > kSilent) return "the API server is silent";
    if (is_leader && age(last_cycle) > schedule_period + kHung) return "the last cycle is long ago";
    return "";
  }

 private:
  static constexpr auto kHung = std::chrono::seconds(60);
  static constexpr auto kSilent = std::chrono::minutes(10);
};

}  // namespace muster::serve
