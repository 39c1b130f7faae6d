// Sorts claims into bound, open and hopeless ones, and matches them with volumes as Kubernetes' volume binder
// would.
#include "plugins/predicates/volumes.hpp"

#include <algorithm>
#include <utility>

#include "model/selectors.hpp"

namespace muster::plugins {
namespace {

constexpr std::string_view kNoProvisioner = "kubernetes.io/no-provisioner";

JobReason reason(JobRule rule, std::string name, std::string of = "") {
  return {.rule = rule, .name = std::move(name), .of = std::move(of)};
}

// A refusal that names the claim, and its volume or the class that would create one.
NodeRefusal refused(const VolumeClaimObject& claim) {
  return {.rule = NodeRule::kVolumes,
          .kind = {},
          .what = claim.meta.name,
          .who = claim.bound ? "PersistentVolume/" + claim.volume
                             : "StorageClass/" + claim.storage_class.value_or("")};
}

std::string_view mode_of(const std::string& mode) {
  return mode.empty() ? "Filesystem" : std::string_view(mode);
}

bool is_reachable(const VolumeObject& volume, const Node& node) {
  return !volume.has_node_affinity || matches_any(volume.node_affinity, node);
}

bool is_reserved_for(const VolumeObject& volume, const VolumeClaimObject& claim) {
  return volume.claim_name == claim.meta.name && volume.claim_ns == claim.meta.ns &&
         (volume.claim_uid.empty() || volume.claim_uid == claim.meta.uid);
}

bool offers_modes(const VolumeObject& volume, const VolumeClaimObject& claim) {
  return std::all_of(claim.access_modes.begin(), claim.access_modes.end(), [&](const std::string& mode) {
    return std::find(volume.access_modes.begin(), volume.access_modes.end(), mode) !=
           volume.access_modes.end();
  });
}

bool suits(const VolumeObject& volume, const VolumeClaimObject& claim) {
  if (volume.phase == "Terminating") return false;
  if (volume.bytes < claim.bytes || mode_of(volume.volume_mode) != mode_of(claim.volume_mode)) return false;
  if (!volume.claim_name.empty()) return is_reserved_for(volume, claim);
  const bool is_free = volume.phase.empty() || volume.phase == "Available";
  return is_free && volume.storage_class == claim.storage_class.value_or("") && offers_modes(volume, claim) &&
         (!claim.selector.present || matches(claim.selector, volume.meta.labels));
}

using Volumes = std::vector<const VolumeObject*>;

bool contains(const Volumes& volumes, const VolumeObject* volume) {
  return std::find(volumes.begin(), volumes.end(), volume) != volumes.end();
}

// Returns null if no reachable volume is left.
template <class IsTaken>
const VolumeObject* first_free(const Volumes& volumes, const Node& node, const IsTaken& is_taken) {
  const auto found = std::find_if(volumes.begin(), volumes.end(), [&](const VolumeObject* volume) {
    return !is_taken(volume) && is_reachable(*volume, node);
  });
  return found == volumes.end() ? nullptr : *found;
}

bool is_for_another_node(const VolumeClaimObject& claim, const Node& node) {
  return !claim.selected_node.empty() && claim.selected_node != node.name;
}

}  // namespace

// ---------------------------------------------------------------- independent of the node

// Volumes that suit the claim, the smallest first. If a volume is reserved for the claim, only that one: the
// volume controller binds it wherever the pod is.
std::vector<const VolumeObject*> VolumeFilter::suitable_volumes(const VolumeClaimObject& claim) const {
  std::vector<const VolumeObject*> suitable;
  for (const auto& [name, volume] : cluster_.kept().all<VolumeObject>())
    if (suits(volume, claim)) suitable.push_back(&volume);
  const auto is_other = [&](const VolumeObject* volume) { return !is_reserved_for(*volume, claim); };
  if (!std::ranges::all_of(suitable, is_other)) std::erase_if(suitable, is_other);
  std::ranges::stable_sort(suitable, {}, &VolumeObject::bytes);
  return suitable;
}

void VolumeFilter::sort_in(const VolumeClaimObject& claim, std::size_t index, Claims& claims) const {
  if (claim.is_going) {  // the kubelet refuses to start the pod
    claims.obstacle = reason(JobRule::kVolumeClaimGoing, claim.meta.name);
    return;
  }
  if (claim.bound) {
    const auto* volume = cluster_.kept().find<VolumeObject>(claim.volume);
    if (volume == nullptr) claims.obstacle = reason(JobRule::kVolumeMissing, claim.volume, claim.meta.name);
    claims.bound.emplace_back(&claim, volume);
    return;
  }
  const std::string class_name = claim.storage_class.value_or("");
  const auto* storage_class = cluster_.kept().find<StorageClassObject>(class_name);
  if (storage_class == nullptr && !class_name.empty())
    claims.obstacle = reason(JobRule::kStorageClassMissing, class_name, claim.meta.name);
  else if (storage_class == nullptr || !storage_class->wait_for_first_consumer || !claim.volume.empty())
    claims.obstacle = reason(JobRule::kVolumeClaimUnbound, claim.meta.name);
  else
    claims.open.push_back({&claim, index, suitable_volumes(claim)});
}

const VolumeFilter::Claims& VolumeFilter::claims_of(ShapeId shape, const std::string& ns) {
  const auto [found, is_new] = claims_.try_emplace(shape);
  Claims& claims = found->second;
  if (!is_new) return claims;
  const auto& names = cluster_.shape(shape).constraints.volume_claims;
  for (std::size_t i = 0; i < names.size() && !claims.obstacle; ++i) {
    const auto* claim = cluster_.kept().find<VolumeClaimObject>(ns, names[i]);
    if (claim == nullptr)
      claims.obstacle = reason(JobRule::kVolumeClaimMissing, names[i]);
    else
      sort_in(*claim, i, claims);
  }
  std::stable_sort(claims.open.begin(), claims.open.end(),
                   [](const OpenClaim& a, const OpenClaim& b) { return a.claim->bytes < b.claim->bytes; });
  return claims;
}

std::optional<JobReason> VolumeFilter::obstacle(TaskId t) {
  const Task& task = cluster_.task(t);
  if (cluster_.shape(task.shape).constraints.volume_claims.empty()) return std::nullopt;
  std::optional<JobReason> found = claims_of(task.shape, task.ns).obstacle;
  if (found) found->task = t;
  return found;
}

// ---------------------------------------------------------------- on a node

// REQUIRES: obstacle() was called for the shape. Filters run after it.
std::optional<NodeRefusal> VolumeFilter::refusal(ShapeId shape, NodeId n) const {
  if (cluster_.shape(shape).constraints.volume_claims.empty()) return std::nullopt;
  const auto found = claims_.find(shape);
  if (found == claims_.end()) return std::nullopt;
  const Node& node = cluster_.node(n);
  for (const auto& [claim, volume] : found->second.bound)
    if (volume == nullptr || !is_reachable(*volume, node)) return refused(*claim);
  Volumes taken;
  const auto is_taken = [&](const VolumeObject* volume) { return contains(taken, volume); };
  for (const OpenClaim& open : found->second.open) {
    const VolumeClaimObject& claim = *open.claim;
    if (is_for_another_node(claim, node)) return refused(claim);
    if (const VolumeObject* volume = first_free(open.volumes, node, is_taken))
      taken.push_back(volume);
    else if (auto refusal = not_provisioned(claim, node))
      return refusal;
  }
  return std::nullopt;
}

// ---------------------------------------------------------------- with what other pods were given

const VolumeFilter::Given* VolumeFilter::given(const VolumeClaimObject& claim) const {
  const auto found = rules_.each_once ? given_.find(&claim) : given_.end();
  return found == given_.end() ? nullptr : &found->second;
}

// A claim that was already assigned to a volume or node in this cycle can be used only there.
std::optional<NodeRefusal> VolumeFilter::choose(TaskId t, NodeId n) {
  chosen_.clear();
  const Task& task = cluster_.task(t);
  if (cluster_.shape(task.shape).constraints.volume_claims.empty()) return std::nullopt;
  const Claims& claims = claims_of(task.shape, task.ns);
  if (claims.open.empty()) return std::nullopt;
  follow();
  const Node& node = cluster_.node(n);
  Volumes taken;
  const auto is_taken = [&](const VolumeObject* volume) {
    return (rules_.each_once && takers_.contains(volume)) || contains(taken, volume);
  };
  chosen_.resize(cluster_.shape(task.shape).constraints.volume_claims.size());
  for (const OpenClaim& open : claims.open) {
    const Given* before = given(*open.claim);
    const bool is_elsewhere =
        before != nullptr &&
        (before->volume != nullptr ? !is_reachable(*before->volume, node) : before->node != n);
    if (is_elsewhere) return refused(*open.claim);
    const VolumeObject* volume =
        before != nullptr ? before->volume : first_free(open.volumes, node, is_taken);
    if (volume != nullptr)
      taken.push_back(volume), chosen_[open.index] = volume->meta.name;
    else if (auto refusal = not_provisioned(*open.claim, node); refusal && before == nullptr)
      return refusal;
  }
  const auto is_made = [](const std::string& name) { return name.empty(); };
  if (std::all_of(chosen_.begin(), chosen_.end(), is_made)) chosen_.clear();
  return std::nullopt;
}

void VolumeFilter::hold(TaskId t, Holding& held) const {
  if (!cluster_.shape_of(t).constraints.volume_claims.empty()) held.volumes = chosen_;
}

// Starts tracking on first use, from the current placements.
void VolumeFilter::follow() {
  if (std::exchange(follows_, true)) return;
  for (TaskId t : ids(cluster_.tasks()))
    if (cluster_.task(t).alive && cluster_.task(t).shape.valid()) {
      const Placement& at = cluster_.placement(t);
      for_each_place(at, [&](NodeId n) { give(t, n, n == at.node ? at.holding : at.source_holding, +1); });
    }
}

void VolumeFilter::moved(TaskId t, const Placement& from, const Placement& to) {
  if (!follows_) return;
  for_each_place(from,
                 [&](NodeId n) { give(t, n, n == from.node ? from.holding : from.source_holding, -1); });
  for_each_place(to, [&](NodeId n) { give(t, n, n == to.node ? to.holding : to.source_holding, +1); });
}

void VolumeFilter::give(TaskId t, NodeId node, HoldingId held, int sign) {
  const Task& task = cluster_.task(t);
  const auto& names = cluster_.shape(task.shape).constraints.volume_claims;
  if (names.empty()) return;
  const auto& volumes = cluster_.holding(held).volumes;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto* claim = cluster_.kept().find<VolumeClaimObject>(task.ns, names[i]);
    if (claim == nullptr || claim->bound) continue;
    const auto* volume = i < volumes.size() ? cluster_.kept().find<VolumeObject>(volumes[i]) : nullptr;
    Given& given = given_[claim];
    if (sign > 0 && given.holders == 0) given = {volume, node, 0};
    if ((given.holders += sign) == 0) given_.erase(claim);
    if (volume != nullptr && (takers_[volume] += sign) == 0) takers_.erase(volume);
  }
}

std::optional<NodeRefusal> VolumeFilter::not_provisioned(const VolumeClaimObject& claim,
                                                         const Node& node) const {
  const StorageClassObject& storage_class =
      *cluster_.kept().find<StorageClassObject>(claim.storage_class.value_or(""));
  if (storage_class.provisioner.empty() || storage_class.provisioner == kNoProvisioner) return refused(claim);
  if (!storage_class.allowed_topologies.empty() && !matches_any(storage_class.allowed_topologies, node))
    return refused(claim);
  return rules_.ignore_space ? std::nullopt : lacks_space(claim, storage_class, node);
}

// Drivers that publish their capacities must have one with room for the whole volume.
std::optional<NodeRefusal> VolumeFilter::lacks_space(const VolumeClaimObject& claim,
                                                     const StorageClassObject& storage_class,
                                                     const Node& node) const {
  const auto* driver = cluster_.kept().find<CsiDriverObject>(storage_class.provisioner);
  if (driver == nullptr || !driver->storage_capacity) return std::nullopt;
  std::int64_t most = 0;
  for (const auto& [name, capacity] : cluster_.kept().all<StorageCapacityObject>())
    if (capacity.storage_class == storage_class.meta.name && matches(capacity.node_topology, node.labels))
      most = std::max(most, capacity.largest_volume.value_or(capacity.capacity));
  if (most >= claim.bytes && most > 0) return std::nullopt;
  return NodeRefusal{.rule = NodeRule::kStorage,
                     .kind = {},
                     .what = storage_class.meta.name,
                     .wanted = claim.bytes,
                     .available = most};
}

}  // namespace muster::plugins
