// The timed part of files and traces: the work of pods, later arrivals, and changes to the cluster.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/arrivals.hpp"
#include "model/objects.hpp"
#include "util/result.hpp"

namespace muster {

// A change to the cluster at a given time: `kind: Step`. docs/time.md 2.
struct Step {
  enum class NodeAct : std::uint8_t { kNone, kCordon, kUncordon, kDrain, kFail, kRepair, kRemove };
  TimePoint at{};
  std::vector<Object> apply;
  std::vector<std::string> apply_workloads;         // as JSON text: objects whose controllers create pods
  std::string delete_kind, delete_ns, delete_name;  // kind "": nothing is deleted
  NodeAct act = NodeAct::kNone;
  std::string node;
  std::string scale_ns, scale_name, scale_kind;  // name "": nothing is scaled; kind "": any kind
  std::int64_t replicas = 0;
  Location where;
};

std::string_view name_of(Step::NodeAct act);  // "drain"

struct Agenda {
  // By "namespace/name"; only those with timed work.
  std::map<std::string, Work> pods, groups;
  std::map<std::string, NodeObject> nodes;  // as last described in the files
  struct Later {
    TimePoint at{};
    Object object;
  };
  std::vector<Later> later;                       // in the order of the files
  std::map<std::string, std::size_t> later_pods;  // "namespace/name" → index in `later`
  std::vector<Step> steps;
  std::vector<std::unique_ptr<Arrivals>> arrivals;
};

}  // namespace muster
