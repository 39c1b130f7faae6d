// The clock: advances simulated time from event to event, and runs a cycle whenever something has changed.
// See docs/time.md 1.
#pragma once

#include <functional>
#include <optional>

#include "engine/cycle/policy.hpp"
#include "model/cluster.hpp"
#include "sim/controllers.hpp"
#include "sim/timed_cluster.hpp"
#include "usage/settings.hpp"

namespace muster {

struct ClockOptions {
  TimedOptions timed;
  Duration period = std::chrono::seconds(1);  // minimum time between two cycles
  UsageSettings usage;                        // how past use is counted
};

// The progress of a run.
struct ClockState {
  TimePoint now{};
  std::int64_t cycles = 0;
  std::size_t jobs_ended = 0;
};

struct ClockWatchers {
  // Called regularly. If it returns false, the run ends and its outcome is marked as incomplete.
  std::function<bool(const ClockState&)> goes_on = [](const ClockState&) { return true; };
  // Called with the decisions of each cycle before they are carried out.
  std::function<void(TimePoint, const Decisions&)> on_cycle = {};
  OnOccurrence on_occurrence = {};
};

// Simulates the cluster until the end given in `options.timed`, or until no event is left. Updates the past
// use in `policy` as time passes.
RunOutcome run_clock(Cluster& cluster, Policy& policy, Agenda agenda, Controllers* controllers,
                     const ClockOptions& options, const ClockWatchers& watchers);

}  // namespace muster
