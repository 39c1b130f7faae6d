// What the pods of a cluster are like, learnt from those that are there: running, waiting, and finished ones
// that were not deleted yet. Nothing is remembered besides, so a scheduler that starts anew learns the same.
#pragma once

#include <cstdint>
#include <vector>

#include "model/cluster.hpp"

namespace muster::plugins {

// One pattern of requests for GPUs.
struct TypicalPod {
  ShapeId shape;
  std::int64_t tasks = 0;
  std::size_t places = 0;  // which of TypicalWorkload::places it may use
};

struct TypicalWorkload {
  std::vector<TypicalPod> pods;  // most frequent first
  std::int64_t tasks = 0;        // of all of them
  // A shape for each distinct set of rules about nodes: selector, affinity, tolerations.
  std::vector<ShapeId> places;
  bool has_shares = false;
};

// The 256 most frequent patterns, of at most 64 sets of places: what is rare beyond that decides nothing.
TypicalWorkload typical_workload(const Cluster& cluster);

// Whether rules about nodes, taken alone, let a pod of the shape onto the node.
bool may_use(const Shape& shape, const Node& node);

}  // namespace muster::plugins
