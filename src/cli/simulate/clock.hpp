// The clock: lets simulated time pass from event to event, and runs a cycle when one could see something new.
// docs/spec/time.md 1.
#pragma once

#include <functional>
#include <optional>

#include "engine/cycle/policy.hpp"
#include "model/cluster.hpp"
#include "sim/controllers.hpp"
#include "sim/timed_cluster.hpp"
#include "usage/settings.hpp"

namespace muster::cli {

struct ClockOptions {
  TimedOptions timed;
  Duration period = std::chrono::seconds(1);  // least time between two cycles
  UsageSettings usage;                        // past use is counted as the configuration says
};

// How far a run is.
struct ClockState {
  TimePoint now{};
  std::int64_t cycles = 0;
  std::size_t jobs_ended = 0;
};

struct ClockWatchers {
  // Asked now and then; false: the run ends here, and its outcome says that it was cut.
  std::function<bool(const ClockState&)> goes_on = [](const ClockState&) { return true; };
  // What each cycle decided, before it is carried out.
  std::function<void(TimePoint, const Decisions&)> on_cycle = {};
  OnOccurrence on_occurrence = {};
};

// Plays the cluster until the end of `options.timed`, or until nothing is left to happen. The policy's past
// use changes with the time.
RunOutcome run_clock(Cluster& cluster, Policy& policy, Agenda agenda, Controllers* controllers,
                     const ClockOptions& options, const ClockWatchers& watchers);

}  // namespace muster::cli
