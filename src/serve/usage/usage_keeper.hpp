// Past use for the cycles: the latest value there is, brought up to date in the background, and a word where
// that does not work.
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
  // Without a source nothing is used, and nothing is waited for. Settings and signal outlive it.
  UsageKeeper(const WriteParts& parts, const UsageSettings& settings, std::unique_ptr<UsageSource> source,
              kube::Signal& news);

  // We lead: a first value is looked for.
  void begin();
  // The first value is still to come, and we have not waited long enough.
  bool is_awaited() const;
  // Shares of the capacity; changes at most once in `fetchInterval`. Null: there is no source.
  const QueueUsage* in_force() const { return source_ ? &in_force_ : nullptr; }
  void cycle_ran(const Cluster& cluster);
  kube::Async<void> finish();

 private:
  enum class Standing { kGood, kLate, kStale, kUnknown };

  kube::Async<void> run();
  void take(UsageAnswer answer, TimePoint now);
  Standing standing_at(TimePoint now) const;
  void log_change(Standing from);
  std::string in_words() const;
  bool is_missed() const;
  void tell_queues(const Cluster& cluster);
  std::chrono::nanoseconds pause(TimePoint now) const;

  const WriteParts p_;
  const UsageSettings& settings_;
  const std::unique_ptr<UsageSource> source_;
  kube::Signal& news_;
  kube::Clock::time_point waits_until_{};
  bool was_reached_ = false;
  std::optional<TimePoint> value_at_;
  QueueUsage value_, in_force_;
  std::string trouble_;
  Standing standing_ = Standing::kGood;
  bool queues_know_trouble_ = false;
  kube::Clock::time_point told_queues_{};
};

}  // namespace muster::serve
