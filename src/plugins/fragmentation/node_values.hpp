// The value of each node's free resources to typical pods, computed once per cycle.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <deque>

#include "plugins/fragmentation/room_value.hpp"
#include "plugins/fragmentation/typical_workload.hpp"

namespace muster::plugins {

class NodeValues {
 public:
  explicit NodeValues(const Cluster& cluster);

  // True if GPUs are shared, or if pods are bound to some of the nodes that have GPUs.
  bool is_uneven() const { return workload_.has_shares || differ_; }
  // Returns null for a node without GPUs for whole pods and shares.
  const RoomValue* kind(NodeId node) const { return kind_of_[node]; }

 private:
  // A pod that would fill a node of some size.
  struct Filler {
    int devices = 0;
    std::int64_t cpu = 0;
    bool operator==(const Filler&) const = default;
  };
  // Which pods can use a node: the sets of places it belongs to, and the fillers that fit it.
  struct Use {
    std::uint64_t places = 0, fillers = 0;
    std::int64_t gpu_memory = 0;  // only if some pods request GPU memory
    bool operator==(const Use&) const = default;
    template <class H>
    friend H AbslHashValue(H h, const Use& use) {
      return H::combine(std::move(h), use.places, use.fillers, use.gpu_memory);
    }
  };

  bool counts(NodeId n) const;
  Filler size_of(NodeId n) const;
  std::uint64_t places_of(const Node& node) const;
  std::uint64_t fillers_of(NodeId n) const;
  void sort_nodes();
  void find_fillers(const IdVector<NodeId, Use>& uses);
  void weigh(const IdVector<NodeId, Use>& uses);
  std::vector<Wish> wishes(const Use& use, const Node& node) const;

  const Cluster& cluster_;
  const TypicalWorkload workload_;
  std::vector<Filler> fillers_;
  std::vector<double> weights_;         // of the typical pods
  std::vector<double> filler_weights_;  // on the same scale
  bool differ_ = false;
  std::deque<RoomValue> kinds_;
  IdVector<NodeId, const RoomValue*> kind_of_;
};

}  // namespace muster::plugins
