// Counts a volume once, however many pods of a node use it. A volume that does not exist yet is counted by
// its claim.
#include "plugins/predicates/attach_limits.hpp"

#include <algorithm>

namespace muster::plugins {

AttachLimits::AttachLimits(const Cluster& cluster) : cluster_(cluster) {
  for (const auto& [name, object] : cluster.kept().all<CsiNodeObject>()) {
    const NodeId node = cluster.find_node(name);
    if (!node.valid()) continue;
    for (const CsiNodeObject::Driver& driver : object.drivers)
      nodes_[node][driver.name].most = driver.most_volumes;
  }
  if (nodes_.empty()) return;
  for (TaskId t : ids(cluster.tasks()))
    if (cluster.task(t).alive && cluster.task(t).shape.valid()) moved(t, Placement{}, cluster.placement(t));
}

void AttachLimits::moved(TaskId task, const Placement& from, const Placement& to) {
  if (cluster_.shape_of(task).constraints.volume_claims.empty() || same_places(from, to)) return;
  for_each_place(from, [&](NodeId n) { add(task, n, -1); });
  for_each_place(to, [&](NodeId n) { add(task, n, +1); });
}

std::vector<AttachLimits::Volume> AttachLimits::volumes_of(TaskId task) const {
  std::vector<Volume> volumes;
  const std::string& ns = cluster_.task(task).ns;
  for (const std::string& name : cluster_.shape_of(task).constraints.volume_claims) {
    const auto* claim = cluster_.kept().find<VolumeClaimObject>(ns, name);
    if (claim == nullptr) continue;
    if (const auto* volume = cluster_.kept().find<VolumeObject>(claim->volume)) {
      if (!volume->csi_driver.empty()) volumes.push_back({volume->csi_driver, volume->csi_handle});
    } else if (const auto* made =
                   cluster_.kept().find<StorageClassObject>(claim->storage_class.value_or(""))) {
      volumes.push_back({made->provisioner, "claim " + ns + "/" + name});
    }
  }
  return volumes;
}

void AttachLimits::add(TaskId task, NodeId node, int sign) {
  const auto limits = nodes_.find(node);
  if (limits == nodes_.end()) return;
  for (const Volume& volume : volumes_of(task)) {
    const auto driver = limits->second.find(volume.driver);
    if (driver == limits->second.end()) continue;
    auto& attached = driver->second.attached;
    auto& count = attached[volume.id];
    count += sign;
    if (count == 0) attached.erase(volume.id);
  }
}

std::optional<NodeRefusal> AttachLimits::refusal(TaskId task, NodeId node) const {
  const auto limits = nodes_.find(node);
  if (limits == nodes_.end()) return std::nullopt;
  std::map<std::string, std::int64_t> requested;  // volumes that would be new on the node, by driver
  for (const Volume& volume : volumes_of(task)) {
    const auto driver = limits->second.find(volume.driver);
    if (driver != limits->second.end() && !driver->second.attached.contains(volume.id))
      ++requested[volume.driver];
  }
  for (const auto& [name, count] : requested) {
    const Driver& driver = limits->second.at(name);
    const std::int64_t room = driver.most - static_cast<std::int64_t>(driver.attached.size());
    if (count > room)
      return NodeRefusal{.rule = NodeRule::kVolumeLimit,
                         .kind = {},
                         .what = name,
                         .wanted = count,
                         .available = std::max<std::int64_t>(room, 0)};
  }
  return std::nullopt;
}

}  // namespace muster::plugins
