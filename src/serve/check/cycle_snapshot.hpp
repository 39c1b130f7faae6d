// What a cycle saw and what it decided, as one file that decides the same again: `muster simulate --cycles
// 1`.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "answers/run_history.hpp"
#include "model/cluster.hpp"
#include "model/decisions.hpp"
#include "serve/read/assumptions.hpp"
#include "serve/read/live_source.hpp"
#include "serve/write/protected_jobs.hpp"
#include "serve/write/refused_jobs.hpp"
#include "usage/amounts.hpp"

namespace muster::serve {

struct PoolLabel;

// Taken on the loop's thread and written out on another: what is large is shared.
struct CycleSnapshot {
  TimePoint at{};
  std::vector<ObjectText> objects;
  // What was assumed of them.
  std::map<std::string, TimePoint> evicted;                           // pods, by uid
  std::map<std::string, std::pair<std::string, std::string>> groups;  // and sub groups of pods, by uid
  std::map<std::string, AnnotationChanges> annotations;               // of PodGroups, "namespace/name"
  std::set<std::string> ungrouped;                                    // pods that took no part yet, by uid
  std::vector<std::string> binds;                                     // as BindRequests, JSON
  // What is in no object.
  std::map<std::string, std::vector<std::string>> taken;  // who lost pods for a job: its name, their uids
  QueueUsage usage;
  answers::RunFigureTable history;
  RefusedJobs::Refusals refused;
  ProtectedJobs protected_jobs;
  std::string config;   // JSON, as the scheduler's own file
  std::string decided;  // JSON, as a round of simulate has it
};

// Right before the cycle.
CycleSnapshot snapshot_before(const Cluster& cluster, const LiveSource& source,
                              const Assumptions& assumptions, const PoolLabel& pool, TimePoint now);

// A List, schema muster.dev/snapshot/v1. From any thread.
std::string text_of(const CycleSnapshot& snapshot);

}  // namespace muster::serve
