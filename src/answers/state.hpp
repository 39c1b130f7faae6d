// What questions are asked of: a cluster that nobody changes. What is tried is tried on a copy.
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

// What is known beside the cluster of how long jobs run.
struct KnownTimes {
  std::map<std::string, Work> pods, groups;  // what files say, by "namespace/name"
  RunFigureTable history;                    // what was seen of others
};

struct State {
  const Cluster& cluster;
  const Policy& policy;
  TimePoint now{};
  const KnownTimes* times = nullptr;  // null: nothing
};

// A run ends when it is at rest; this is for those that never are.
inline constexpr int kMostCycles = 20;

// What cycles one after the other at the same instant came to.
struct Rest {
  int cycles = 0;
  bool is_reached = false;  // the last cycle changed nothing
  Decisions last;
  std::set<JobId> evicted;  // lost pods by a decision of some cycle: the groups that those name
};

// Runs cycles until one changes nothing and leaves the cluster as it is then. Between them bound pods run and
// evicted ones wait again, as in `muster simulate --cycles`.
Rest settle(Cluster& cluster, const Policy& policy, TimePoint now);

// How a state comes to rest, on a copy.
struct Outcome {
  Cluster cluster;
  Rest rest;
};
Outcome outcome_of(const State& state);

// Has pods that wait for a place or are held back by a gate.
bool is_waiting(const Job& job);
// What is to be said of a job that waits: `said` by a cycle, or where that is null, why it was not
// considered.
WaitingJob words_about(const Cluster& cluster, JobId job, const WaitingJob* said);

// All that must stand of the job has a place.
bool is_at_minimum(const Cluster& cluster, JobId job);

}  // namespace muster::answers
