// The two interfaces between the engine and a cluster, which is either embedded (files and a simulated clock)
// or Kubernetes.
#pragma once

#include "model/cluster.hpp"
#include "model/decisions.hpp"

namespace muster {

// Delivers changes of the cluster.
class ClusterSource {
 public:
  virtual ~ClusterSource() = default;
  // Applies everything that happened until `now` as deltas.
  virtual void update(Cluster& cluster, TimePoint now) = 0;
};

// Carries out decisions.
class DecisionSink {
 public:
  virtual ~DecisionSink() = default;
  virtual void carry_out(const Cluster& cluster, const Decisions& decisions, TimePoint now) = 0;
};

}  // namespace muster
