// Free capacity for new volumes of CSI drivers, less what the pods of this cycle will take:
// scheduleCSIStorage. placement.md 9.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <map>
#include <optional>
#include <vector>

#include "model/cluster.hpp"
#include "model/reasons.hpp"

namespace muster::plugins {

class StorageRoom {
 public:
  explicit StorageRoom(const Cluster& cluster);
  void moved(TaskId task, const Placement& from, const Placement& to);

  // A reason if the owner pod of a claim is gone, because the claim will soon be deleted as well.
  std::optional<JobReason> obstacle(TaskId task) const;
  // If `with_releasing`, what terminating pods will free counts as available.
  std::optional<NodeRefusal> lacks_room(TaskId task, NodeId node, bool with_releasing) const;

 private:
  struct Capacity {
    const StorageCapacityObject* object = nullptr;
    std::map<const VolumeClaimObject*, int>
        claims;  // claims on this capacity, each with its number of placed tasks
  };
  using ClaimsByClass = std::map<std::string, std::vector<const VolumeClaimObject*>>;

  const std::vector<std::size_t>* reached_from(NodeId node, const std::string& storage_class) const;
  ClaimsByClass pending_claims(TaskId task) const;
  bool is_accounted(const VolumeClaimObject& claim) const;
  bool is_releasing(const VolumeClaimObject& claim) const;
  std::int64_t room(const Capacity& capacity, bool with_releasing) const;
  void add(TaskId task, NodeId node, int sign);

  const Cluster& cluster_;
  std::vector<Capacity> capacities_;
  absl::flat_hash_map<NodeId, std::map<std::string, std::vector<std::size_t>>> reached_;
  absl::flat_hash_map<std::string, TaskId> owners_;  // pods that own claims, by uid
};

}  // namespace muster::plugins
