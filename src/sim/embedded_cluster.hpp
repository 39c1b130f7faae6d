// A cluster in memory: carries out decisions at once and lets pods start, end and be recreated between
// cycles.
#pragma once

#include <vector>

#include "model/cluster.hpp"
#include "model/decisions.hpp"

namespace muster {

// True if an annotation of the pod or of its job says so.
bool stays_terminating(const Cluster& cluster, const Task& task);

// Between two cycles, a bound pod starts to run. An evicted or terminating pod is gone, and its owner has
// recreated it as pending, unless the pod stays terminating (by annotation, or because it is stuck):
// docs/commands.md, the contract of `simulate --cycles`.
class EmbeddedCluster {
 public:
  void carry_out(const Cluster& cluster, const Decisions& decisions, TimePoint now);
  void update(Cluster& cluster, TimePoint now);

 private:
  std::vector<BindDecision> bound_;
  std::vector<TaskId> evicted_;
};

}  // namespace muster
