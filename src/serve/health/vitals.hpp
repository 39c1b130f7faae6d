// The health of the daemon, read by other threads for probes.
#pragma once

#include <atomic>
#include <chrono>
#include <string>

#include "util/time.hpp"

namespace muster::serve {

struct Vitals {
  using Clock = std::chrono::steady_clock;

  explicit Vitals(Duration period) : schedule_period(period) {}

  std::atomic<Duration> schedule_period;
  std::atomic<Clock::time_point> last_tick{}, last_cycle{}, last_contact{};
  // The kind that has been silent since the last contact; null: none. Lives as long as this.
  std::atomic<const std::string*> silent_kind{nullptr};
  std::atomic<bool> is_synced{false}, is_leader{false}, is_draining{false};

  // Both return the problem, or "" if there is none.
  std::string not_alive() const { return age(last_tick) > kHung ? "the event loop hangs" : ""; }
  std::string not_ready() const {
    if (!is_synced) return "not all kinds have been listed yet";
    if (is_draining) return "shutting down";
    if (const std::string* kind = silent_kind; kind != nullptr && age(last_contact) > kSilent)
      return "no contact with the API server's watch of " + *kind;
    if (is_leader && age(last_cycle) > schedule_period.load() + kHung) return "no cycle has run for too long";
    return "";
  }

 private:
  static constexpr auto kHung = std::chrono::seconds(60);
  static constexpr auto kSilent = std::chrono::minutes(10);
  static Clock::duration age(Clock::time_point t) { return Clock::now() - t; }
};

}  // namespace muster::serve
