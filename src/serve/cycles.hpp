// The loop of cycles: what the watches brought goes into the model, and when it is time, a cycle decides.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "engine/cycle/policy.hpp"
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
struct Parts;
struct CycleSnapshot;

// When the next cycle may come, and when it must.
class CyclePace {
 public:
  using Clock = kube::Clock;

  // A cycle took so long; the next comes within `period`. Between the two there is three times as long as it
  // took, where that is reasonable: what comes in quick succession is decided together, and others need the
  // processor.
  void ran(Clock::duration took, Clock::duration period);
  void come_by(Clock::time_point at);

  Clock::time_point earliest() const { return earliest_; }
  // The next comes even if nothing has changed.
  Clock::time_point latest() const;

 private:
  Clock::time_point earliest_{}, latest_{};
};

// Tells a long cycle from one that will never end.
class CycleGuard {
 public:
  using Clock = kube::Clock;
  // No search goes on for so long: their limits are seconds.
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
  Cycles(Parts& parts, const Leadership& leadership, Policy policy);

  // In force from the next cycle on, which comes soon.
  void adopt(ConfigurationRead read);
  // Until the loop stops.
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
  Decisions imagine(TimePoint now);
  std::shared_ptr<CycleSnapshot> take_snapshot(TimePoint now);
  void carry_out(const Decisions& decisions, TimePoint now);
  void log_cycle(const Decisions& decisions, kube::Clock::duration took);

  Parts& p_;
  const Leadership& leadership_;
  Policy given_policy_;  // without what only this thread may look at
  Policy policy_;
  std::string config_;  // what it was made from
  Duration period_;
  std::optional<ConfigurationRead> next_;  // read while this one was in force
  SearchMemory memory_;
  const SteadyStopwatch stopwatch_;
  RequeueLog requeue_log_;
  QueueNotices queue_notices_;
  CyclePace pace_;
  CycleGuard guard_;
};

}  // namespace muster::serve
