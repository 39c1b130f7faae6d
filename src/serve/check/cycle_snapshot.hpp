// The input and the decisions of a cycle as one file. `muster simulate --cycles 1` on this file decides the
// same again.
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
#include "plugins/protected_jobs.hpp"
#include "plugins/refused_jobs.hpp"
#include "serve/read/assumptions.hpp"
#include "serve/read/live_source.hpp"
#include "usage/amounts.hpp"

namespace muster::serve {

struct PoolLabel;

// Taken on the loop's thread and written on another one; large parts are shared.
struct CycleSnapshot {
  TimePoint at{};
  std::vector<ObjectText> objects;
  // The assumptions about these objects.
  std::map<std::string, TimePoint> evicted;                           // pods, by uid
  std::map<std::string, std::pair<std::string, std::string>> groups;  // and sub groups of pods, by uid
  std::map<std::string, AnnotationChanges> annotations;               // of PodGroups, "namespace/name"
  std::set<std::string> ungrouped;                                    // pods not in the model yet, by uid
  std::vector<std::string> binds;                                     // as BindRequests, JSON
  // State that is not part of any object.
  std::map<std::string, std::vector<std::string>>
      taken;  // job name to uids of the jobs that lost pods for it
  QueueUsage usage;
  answers::RunFigureTable history;
  plugins::RefusedJobs::Refusals refused;
  plugins::ProtectedJobs protected_jobs;
  std::string config;   // JSON, in the form of the configuration file
  std::string decided;  // JSON, in the form of a round of simulate
};

// Call right before the cycle.
CycleSnapshot snapshot_before(const Cluster& cluster, const LiveSource& source,
                              const Assumptions& assumptions, const PoolLabel& pool, TimePoint now);

// Returns a List, schema muster.dev/snapshot/v1. May be called from any thread.
std::string text_of(const CycleSnapshot& snapshot);

}  // namespace muster::serve
