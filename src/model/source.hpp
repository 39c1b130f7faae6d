// The two interfaces behind which a cluster lives: the embedded one (files and a simulated clock) and
// Kubernetes.
#pragma once

#include "model/cluster.hpp"
#include "model/decisions.hpp"

namespace muster {

// Where changes come from.
class ClusterSource {
 public:
  virtual ~ClusterSource() = default;
  // Applies everything that happened up to `now` as deltas.
  virtual void update(Cluster& cluster, TimePoint now) = 0;
};

// Where decisions go.
class DecisionSink {
 public:
  virtual ~DecisionSink() = default;
  virtual void carry_out(const Cluster& cluster, const Decisions& decisions, TimePoint now) = 0;
};

}  // namespace muster
