// Learns what the pods of a cluster are like from the existing ones: running, pending, and finished pods that
// were not deleted yet. Nothing else is remembered, so a restarted scheduler learns the same.
#pragma once

#include <cstdint>
#include <vector>

#include "model/cluster.hpp"

namespace muster::plugins {

// One pattern of GPU requests.
struct TypicalPod {
  ShapeId shape;
  std::int64_t tasks = 0;
  std::size_t places = 0;  // index in TypicalWorkload::places
};

struct TypicalWorkload {
  std::vector<TypicalPod> pods;  // most frequent first
  std::int64_t tasks = 0;        // sum over all patterns
  // One shape for each distinct set of node rules: selector, affinity, tolerations.
  std::vector<ShapeId> places;
  bool has_shares = false;
};

// Returns the 256 most frequent patterns, with at most 64 sets of places. Rarer ones do not matter.
TypicalWorkload typical_workload(const Cluster& cluster);

// True if the node rules alone let a pod of the shape onto the node.
bool may_use(const Shape& shape, const Node& node);

}  // namespace muster::plugins
