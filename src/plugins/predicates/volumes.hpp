// Volume claims: which of them block a pod on every node, which nodes can reach or provision a volume, and
// which existing volume a pod gets. placement.md 9.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <optional>
#include <vector>

#include "model/cluster.hpp"
#include "model/reasons.hpp"

namespace muster::plugins {

struct VolumeRules {
  bool ignore_space = false;  // capacity for new volumes is checked elsewhere
  bool each_once = true;      // a volume given to one pod in this cycle is not given to another claim
};

class VolumeFilter {
 public:
  VolumeFilter(const Cluster& cluster, VolumeRules rules) : cluster_(cluster), rules_(rules) {}

  // A problem of the task's claims that neither a node nor an eviction can solve.
  std::optional<JobReason> obstacle(TaskId task);
  // Depends on the objects alone, not on placements, so each answer is computed once per shape.
  std::optional<NodeRefusal> refusal(ShapeId shape, NodeId node) const;

  // Chooses the volumes that the task would get on the node. Skips volumes that other pods were given.
  std::optional<NodeRefusal> choose(TaskId task, NodeId node);
  // Stores the last choice of choose().
  void hold(TaskId task, Holding& held) const;
  void moved(TaskId task, const Placement& from, const Placement& to);

 private:
  // A claim that waits for its first consumer, and the volumes that suit it, best first.
  struct OpenClaim {
    const VolumeClaimObject* claim = nullptr;
    std::size_t index = 0;  // position among the claims of the shape
    std::vector<const VolumeObject*> volumes;
  };
  struct Claims {
    std::vector<std::pair<const VolumeClaimObject*, const VolumeObject*>> bound;
    std::vector<OpenClaim> open;  // smallest first
    std::optional<JobReason> obstacle;
  };
  // What placed pods have fixed for a claim: a volume, or the node on which one will be created.
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
  bool follows_ = false;  // the two maps below are kept up to date
  absl::flat_hash_map<const VolumeClaimObject*, Given> given_;
  absl::flat_hash_map<const VolumeObject*, int> takers_;
  std::vector<std::string> chosen_;  // for the last task and node that choose() accepted
};

}  // namespace muster::plugins
