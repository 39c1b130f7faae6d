// The input of all questions: a cluster that does not change. Trials run on copies of it.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "answers/run_history.hpp"
#include "engine/cycle/policy.hpp"
#include "model/cluster.hpp"
#include "model/decisions.hpp"

namespace muster::answers {

// What is known about durations besides the cluster.
struct KnownTimes {
  std::map<std::string, Work> pods, groups;  // from files, by "namespace/name"
  RunFigureTable history;                    // of finished jobs
};

struct State {
  const Cluster& cluster;
  const Policy& policy;
  TimePoint now{};
  const KnownTimes* times = nullptr;  // null: nothing is known
};

// A run ends when the cluster is settled; this limit is for clusters that never settle.
inline constexpr int kMostCycles = 20;

// The result of several cycles at the same point in time.
struct FixedPoint {
  int cycles = 0;
  bool is_reached = false;  // the last cycle changed nothing
  Decisions last;
  std::set<JobId> evicted;  // groups named by the evictions of any cycle
};

// Runs cycles until one changes nothing, and leaves the cluster in that state. Between cycles, bound pods
// start and evicted pods become pending again, as in `muster simulate --cycles`.
FixedPoint run_until_stable(Cluster& cluster, const Policy& policy, TimePoint now);

// The settled copy of a state.
struct Outcome {
  Cluster cluster;
  FixedPoint settled;
};
Outcome outcome_of(const State& state);

// True if the job has pending or scheduling-gated pods.
bool is_waiting(const Job& job);
// The reasons of a pending job: `reported` is from a cycle; if it is null, the reason why the job was
// not considered.
WaitingJob reasons_of(const Cluster& cluster, JobId job, const WaitingJob* reported);

// True if the minimum of the job is placed.
bool is_at_minimum(const Cluster& cluster, JobId job);

}  // namespace muster::answers
