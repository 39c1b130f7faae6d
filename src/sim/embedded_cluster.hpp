// A cluster in memory: carries decisions out at once and lets pods start, end and come back between cycles.
#pragma once

#include <vector>

#include "model/source.hpp"

namespace muster {

// An annotation says that it does, of the pod or of its job.
bool stays_terminating(const Cluster& cluster, const Task& task);

// Between two cycles: a bound pod runs; an evicted or terminating one is gone and its owner has made it
// again, pending, unless it stays terminating (its annotation says so, or it is stuck). docs: product.md, the
// contract of `simulate --cycles`.
class EmbeddedCluster final : public ClusterSource, public DecisionSink {
 public:
  void carry_out(const Cluster& cluster, const Decisions& decisions, TimePoint now) override;
  void update(Cluster& cluster, TimePoint now) override;

 private:
  std::vector<BindDecision> bound_;
  std::vector<TaskId> evicted_;
};

}  // namespace muster
