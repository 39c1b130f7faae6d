// Volume claims: which stand in the way of a pod wherever it goes, and which nodes can reach or be given a
// volume. placement.md 9.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <optional>
#include <vector>

#include "model/cluster.hpp"
#include "model/reasons.hpp"

namespace muster::plugins {

// Nothing that is placed changes an answer, so each is found once per shape.
class VolumeFilter {
 public:
  // `ignore_space`: whether a driver has room for new volumes is somebody else's question.
  VolumeFilter(const Cluster& cluster, bool ignore_space) : cluster_(cluster), ignore_space_(ignore_space) {}

  // What no node and no eviction can help against.
  std::optional<JobReason> obstacle(TaskId task);
  std::optional<NodeRefusal> refusal(ShapeId shape, NodeId node);

 private:
  // A claim that waits for its first consumer, and the volumes that suit it, best first.
  struct OpenClaim {
    const VolumeClaimObject* claim = nullptr;
    std::vector<const VolumeObject*> volumes;
  };
  struct Claims {
    std::vector<std::pair<const VolumeClaimObject*, const VolumeObject*>> bound;
    std::vector<OpenClaim> open;  // smallest first
    std::optional<JobReason> obstacle;
  };
  const Claims& claims_of(ShapeId shape, const std::string& ns);
  void sort_in(const VolumeClaimObject& claim, Claims& claims) const;
  std::vector<const VolumeObject*> suitable_volumes(const VolumeClaimObject& claim) const;
  std::optional<NodeRefusal> not_provisioned(const VolumeClaimObject& claim, const Node& node) const;
  std::optional<NodeRefusal> lacks_space(const VolumeClaimObject& claim,
                                         const StorageClassObject& storage_class, const Node& node) const;

  const Cluster& cluster_;
  const bool ignore_space_;
  absl::flat_hash_map<ShapeId, Claims> claims_;
};

}  // namespace muster::plugins
