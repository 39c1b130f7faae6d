// Past use for the cycles: keeps the latest value, refreshes it in the background, and reports problems.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "kube/clock.hpp"
#include "serve/usage/usage_source.hpp"
#include "serve/write/write_parts.hpp"
#include "usage/settings.hpp"

namespace muster::kube {
class Signal;
}

namespace muster::serve {

class UsageKeeper {
 public:
  // Without a source there is no past use and no wait for it. REQUIRES: settings and signal outlive the
  // keeper.
  UsageKeeper(const WriteServices& parts, const UsageSettings& settings, std::unique_ptr<UsageSource> source,
              kube::Signal& news);

  // Starts to read past use. Call when this replica becomes the leader.
  void begin();
  // True until the source has answered for the first time or the timeout for that has passed.
  bool is_awaited() const;
  // Past use as shares of the capacity; changes at most once in `fetchInterval`. Null without a source.
  const QueueUsage* in_force() const { return source_ ? &in_force_ : nullptr; }
  void cycle_ran(const Cluster& cluster);
  kube::Async<void> finish();

 private:
  enum class State { kGood, kLate, kStale, kUnknown };

  kube::Async<void> run();
  void take(UsageAnswer answer, TimePoint now);
  State state_at(TimePoint now) const;
  void log_change(State from);
  std::string state_text() const;
  bool is_missed() const;
  void report_to_queues(const Cluster& cluster);
  std::chrono::nanoseconds pause(TimePoint now) const;

  const WriteServices p_;
  const UsageSettings& settings_;
  const std::unique_ptr<UsageSource> source_;
  kube::Signal& news_;
  kube::Clock::time_point waits_until_{};
  bool was_reached_ = false;
  std::optional<TimePoint> value_at_;
  QueueUsage value_, in_force_;
  std::string trouble_;
  State state_ = State::kGood;
  bool queues_know_trouble_ = false;
  kube::Clock::time_point reported_at_{};
};

}  // namespace muster::serve
