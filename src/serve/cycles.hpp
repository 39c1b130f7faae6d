// The main loop: applies the changes from the watches to the model, and runs a scheduling cycle when one is
// due.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "engine/cycle/policy.hpp"
#include "engine/cycle/selector_results.hpp"
#include "engine/search/search_memory.hpp"
#include "kube/async.hpp"
#include "kube/clock.hpp"
#include "serve/health/requeue_log.hpp"
#include "serve/reload.hpp"
#include "serve/write/queue_notices.hpp"
#include "util/stopwatch.hpp"
#include "util/time.hpp"

namespace muster {
struct Decisions;
}

namespace muster::serve {

class Leadership;
struct Services;
struct CycleSnapshot;

// The earliest and the latest time of the next cycle.
class CyclePace {
 public:
  using Clock = kube::Clock;

  // Call when a cycle has ended. The next one comes within `period`, but not before three times the duration
  // of this cycle has passed, within bounds. Changes in quick succession are then decided together, and other
  // work gets the processor.
  void ran(Clock::duration took, Clock::duration period);
  void come_by(Clock::time_point at);

  Clock::time_point earliest() const { return earliest_; }
  // When the next cycle runs even if nothing has changed.
  Clock::time_point latest() const;

 private:
  Clock::time_point earliest_{}, latest_{};
};

// Distinguishes a long cycle from one that hangs.
class CycleGuard {
 public:
  using Clock = kube::Clock;
  // No search takes this long: searches are limited to seconds.
  static constexpr auto kHung = std::chrono::minutes(5);

  void begins(Clock::time_point now) { since_ = now; }
  void ends() { since_.reset(); }
  bool is_in_cycle() const { return since_.has_value(); }
  bool hangs(Clock::time_point now) const { return since_ && now - *since_ > kHung; }

 private:
  std::optional<Clock::time_point> since_;
};

class Cycles {
 public:
  Cycles(Services& parts, const Leadership& leadership, Policy policy);

  // The configuration takes effect with the next cycle, which is due at once.
  void adopt(ConfigurationRead read);
  // Ends when the loop stops.
  kube::Async<void> run();
  bool is_in_cycle() const { return guard_.is_in_cycle(); }
  bool hangs() const { return guard_.hangs(kube::Clock::now()); }

 private:
  void update();
  void use(Policy policy);
  void take_configuration();
  void show();
  void take_usage();
  bool is_due() const;
  kube::Async<void> gather();
  kube::Clock::time_point end_of_arrivals(kube::Clock::time_point start) const;
  kube::Clock::time_point end_of_groups(kube::Clock::time_point ungrouped) const;
  kube::Async<void> run_one();
  kube::Async<Decisions> decide(TimePoint now);
  Decisions run_shadow_cycle(TimePoint now);
  std::shared_ptr<CycleSnapshot> take_snapshot(TimePoint now);
  void carry_out(const Decisions& decisions, TimePoint now);
  void log_cycle(const Decisions& decisions, kube::Clock::duration took);

  Services& p_;
  const Leadership& leadership_;
  Policy given_policy_;  // without the plugins that only this thread may use
  Policy policy_;
  std::string config_;  // the configuration that the policy was made from
  Duration period_;
  std::optional<ConfigurationRead> next_;  // takes effect with the next cycle
  SearchMemory memory_;
  SelectorResults selector_results_;
  const SteadyStopwatch stopwatch_;
  RequeueLog requeue_log_;
  QueueNotices queue_notices_;
  CyclePace pace_;
  CycleGuard guard_;
};

}  // namespace muster::serve
