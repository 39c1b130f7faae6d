// Counts the claims of placed pods against each capacity that their node can reach.
#include "plugins/predicates/storage_room.hpp"

#include <algorithm>

#include "model/selectors.hpp"

namespace muster::plugins {

StorageRoom::StorageRoom(const Cluster& cluster) : cluster_(cluster) {
  for (const auto& [name, object] : cluster.kept().all<StorageCapacityObject>())
    capacities_.push_back({&object, {}});
  for (NodeId n : cluster.nodes_by_name()) {
    auto& reached = reached_[n];
    for (std::size_t i = 0; i < capacities_.size(); ++i)
      if (matches(capacities_[i].object->node_topology, cluster.node(n).labels))
        reached[capacities_[i].object->storage_class].push_back(i);
    // With several capacities of a class, it is unknown which one would be used.
    if (std::any_of(reached.begin(), reached.end(),
                    [](const auto& entry) { return entry.second.size() > 1; }))
      reached.clear();
  }
  absl::flat_hash_set<std::string> uids;
  for (const auto& [name, claim] : cluster.kept().all<VolumeClaimObject>())
    uids.insert(claim.owner_pod_uids.begin(), claim.owner_pod_uids.end());
  for (TaskId t : ids(cluster.tasks())) {
    if (!cluster.task(t).alive) continue;
    if (uids.contains(cluster.task(t).uid)) owners_[cluster.task(t).uid] = t;
    moved(t, Placement{}, cluster.placement(t));
  }
}

void StorageRoom::moved(TaskId task, const Placement& from, const Placement& to) {
  if (cluster_.shape_of(task).constraints.volume_claims.empty() || same_places(from, to)) return;
  for_each_place(from, [&](NodeId n) { add(task, n, -1); });
  for_each_place(to, [&](NodeId n) { add(task, n, +1); });
}

void StorageRoom::add(TaskId task, NodeId node, int sign) {
  for (const auto& [storage_class, claims] : pending_claims(task)) {
    const auto* reached = reached_from(node, storage_class);
    if (reached == nullptr) continue;
    for (std::size_t i : *reached)
      for (const VolumeClaimObject* claim : claims) {
        auto& count = capacities_[i].claims[claim];
        count += sign;
        if (count == 0) capacities_[i].claims.erase(claim);
      }
  }
}

const std::vector<std::size_t>* StorageRoom::reached_from(NodeId node,
                                                          const std::string& storage_class) const {
  const auto by_class = reached_.find(node);
  if (by_class == reached_.end()) return nullptr;
  const auto found = by_class->second.find(storage_class);
  return found == by_class->second.end() ? nullptr : &found->second;
}

// True for pending claims of a class whose driver is known.
bool StorageRoom::is_accounted(const VolumeClaimObject& claim) const {
  const auto* storage_class = cluster_.kept().find<StorageClassObject>(claim.storage_class.value_or(""));
  return storage_class != nullptr && storage_class->wait_for_first_consumer &&
         cluster_.kept().find<CsiDriverObject>(storage_class->provisioner) != nullptr;
}

StorageRoom::ClaimsByClass StorageRoom::pending_claims(TaskId t) const {
  ClaimsByClass pending;
  for (const std::string& name : cluster_.shape_of(t).constraints.volume_claims) {
    const auto* claim = cluster_.kept().find<VolumeClaimObject>(cluster_.task(t).ns, name);
    if (claim != nullptr && !claim->bound && is_accounted(*claim))
      pending[claim->storage_class.value_or("")].push_back(claim);
  }
  return pending;
}

std::optional<JobReason> StorageRoom::obstacle(TaskId t) const {
  for (const std::string& name : cluster_.shape_of(t).constraints.volume_claims) {
    const auto* claim = cluster_.kept().find<VolumeClaimObject>(cluster_.task(t).ns, name);
    if (claim == nullptr || claim->owner_pod_uids.size() != 1 || !is_accounted(*claim)) continue;
    const auto owner = owners_.find(claim->owner_pod_uids.front());
    if (owner == owners_.end() || cluster_.task(owner->second).observed.deletion)
      return JobReason{.rule = JobRule::kVolumeClaimOrphaned, .task = t, .name = name};
  }
  return std::nullopt;
}

bool StorageRoom::is_releasing(const VolumeClaimObject& claim) const {
  if (claim.owner_pod_uids.size() != 1) return false;
  const auto owner = owners_.find(claim.owner_pod_uids.front());
  return owner != owners_.end() && !in(cluster_.placement(owner->second).status, kAlive);
}

std::int64_t StorageRoom::room(const Capacity& capacity, bool with_releasing) const {
  std::int64_t left = capacity.object->capacity;
  for (const auto& [claim, tasks] : capacity.claims)
    if (!with_releasing || !is_releasing(*claim)) left -= claim->bytes;
  return left;
}

std::optional<NodeRefusal> StorageRoom::lacks_room(TaskId t, NodeId node, bool with_releasing) const {
  for (const auto& [storage_class, claims] : pending_claims(t)) {
    std::int64_t requested = 0, most = 0;
    for (const VolumeClaimObject* claim : claims) requested += claim->bytes;
    const auto* reached = reached_from(node, storage_class);
    if (reached != nullptr)
      for (std::size_t i : *reached) most = std::max(most, room(capacities_[i], with_releasing));
    if (reached == nullptr || most < requested)
      return NodeRefusal{.rule = NodeRule::kStorage,
                         .kind = {},
                         .what = storage_class,
                         .wanted = requested,
                         .available = most};
  }
  return std::nullopt;
}

}  // namespace muster::plugins
