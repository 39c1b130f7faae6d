// Volume claims: which stand in the way of a pod wherever it goes, which nodes can reach or be given a
// volume, and which of those that exist a pod gets. placement.md 9.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <optional>
#include <vector>

#include "model/cluster.hpp"
#include "model/reasons.hpp"

namespace muster::plugins {

struct VolumeRules {
  bool ignore_space = false;  // whether a driver has room for new volumes is somebody else's question
  bool each_once = true;      // what pods of this cycle get is there for no other claim
};

class VolumeFilter {
 public:
  VolumeFilter(const Cluster& cluster, VolumeRules rules) : cluster_(cluster), rules_(rules) {}

  // What no node and no eviction can help against.
  std::optional<JobReason> obstacle(TaskId task);
  // By the objects alone: nothing that is placed changes the answer, so each is found once per shape.
  std::optional<NodeRefusal> refusal(ShapeId shape, NodeId node) const;

  // With what others were given; chooses what the task gets there.
  std::optional<NodeRefusal> choose(TaskId task, NodeId node);
  // What was chosen a moment ago.
  void hold(TaskId task, Holding& held) const;
  void moved(TaskId task, const Placement& from, const Placement& to);

 private:
  // A claim that waits for its first consumer, and the volumes that suit it, best first.
  struct OpenClaim {
    const VolumeClaimObject* claim = nullptr;
    std::size_t index = 0;  // among the claims of the shape
    std::vector<const VolumeObject*> volumes;
  };
  struct Claims {
    std::vector<std::pair<const VolumeClaimObject*, const VolumeObject*>> bound;
    std::vector<OpenClaim> open;  // smallest first
    std::optional<JobReason> obstacle;
  };
  // Whom pods that are placed brought a claim to: a volume, or the node where one is made for it.
  struct Given {
    const VolumeObject* volume = nullptr;
    NodeId node;
    int holders = 0;
  };

  const Claims& claims_of(ShapeId shape, const std::string& ns);
  void sort_in(const VolumeClaimObject& claim, std::size_t index, Claims& claims) const;
  std::vector<const VolumeObject*> suitable_volumes(const VolumeClaimObject& claim) const;
  std::optional<NodeRefusal> not_provisioned(const VolumeClaimObject& claim, const Node& node) const;
  std::optional<NodeRefusal> lacks_space(const VolumeClaimObject& claim,
                                         const StorageClassObject& storage_class, const Node& node) const;
  void follow();
  void give(TaskId task, NodeId node, HoldingId held, int sign);
  const Given* given(const VolumeClaimObject& claim) const;

  const Cluster& cluster_;
  const VolumeRules rules_;
  absl::flat_hash_map<ShapeId, Claims> claims_;
  bool follows_ = false;  // the two below are kept up to date
  absl::flat_hash_map<const VolumeClaimObject*, Given> given_;
  absl::flat_hash_map<const VolumeObject*, int> takers_;
  std::vector<std::string> chosen_;  // for the task and node that choose() last let pass
};

}  // namespace muster::plugins
