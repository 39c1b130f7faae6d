// Deltas of devices, and the devices, zones and volumes that tasks hold.
#include <absl/container/flat_hash_set.h>
#include <absl/container/inlined_vector.h>

#include <algorithm>

#include "model/cluster.hpp"

namespace muster {
// ---------------------------------------------------------------- objects

void Cluster::take(ResourceClaimObject&& object) {
  devices_.apply(std::move(object));
  claims_stale_ = true;
}
void Cluster::take(Gone<ResourceClaimObject> gone) {
  devices_.remove_claim(gone.ns, gone.name);
  claims_stale_ = true;
}
void Cluster::take(ResourceSliceObject&& object) {
  devices_.apply(std::move(object));
  slices_stale_ = true;
}
void Cluster::take(Gone<ResourceSliceObject> gone) {
  devices_.remove_slice(gone.name);
  slices_stale_ = true;
}
void Cluster::take(DeviceClassObject&& object) {
  kept_.put(std::move(object));
  backing_stale_ = true;
}
void Cluster::take(Gone<DeviceClassObject> gone) {
  if (kept_.erase<DeviceClassObject>(gone.ns, gone.name)) backing_stale_ = true;
}
void Cluster::take(NodeTopologyObject&& object) {
  devices_.apply(std::move(object));
  zones_stale_ = true;
}
void Cluster::take(Gone<NodeTopologyObject> gone) {
  devices_.remove_topology(gone.name);
  zones_stale_ = true;
}

void Cluster::reserve_claims(TaskId t, HoldingId held) {
  ++revision_;
  const auto& claims = shape_of(t).claims;
  const auto& allocations = holding(held).claims;
  for (std::size_t i = 0; i < claims.size() && i < allocations.size(); ++i)
    if (claims[i].valid()) devices_.reserve(claims[i], task(t).uid, allocations[i]);
  claims_stale_ = claims_stale_ || !claims.empty();
}

void Cluster::release_claims(TaskId t) {
  ++revision_;
  const auto& claims = shape_of(t).claims;
  for (ClaimId c : claims)
    if (c.valid()) devices_.release(c, task(t).uid);
  claims_stale_ = claims_stale_ || !claims.empty();
}

// ---------------------------------------------------------------- what tasks hold

HoldingId Cluster::observed_holding(TaskId t, const Placement& at, const BindRequestFacts* request) {
  const Shape& shape = shape_of(t);
  const auto record = zone_records_.find(t);
  const bool has_zones = record != zone_records_.end() || (request != nullptr && !request->zones.empty());
  const bool has_volumes = request != nullptr && !request->volumes.empty();
  if (shape.claims.empty() && !has_zones && !has_volumes) return at.holding;
  Holding held = holding(at.holding);
  if (held.claims.empty()) {
    for (std::size_t i = 0; i < shape.claims.size(); ++i) {
      AllocationId found =
          shape.claims[i].valid() ? devices_.claim(shape.claims[i]).allocated : AllocationId();
      if (request != nullptr)
        for (const auto& [name, allocation] : request->claims)
          if (name == shape.constraints.resource_claims[i].name) found = allocation;
      held.claims.push_back(found);
    }
    const auto known = [](AllocationId a) { return a.valid(); };
    if (std::none_of(held.claims.begin(), held.claims.end(), known)) held.claims.clear();
  }
  if (has_volumes) held.volumes = request->volumes;
  if (held.zones.empty() && has_zones && at.node.valid()) {
    const bool is_seen = record != zone_records_.end() && !record->second.first.empty();
    const bool is_requested = request != nullptr && !request->zones.empty();
    held.zones = zone_shares(at.node, is_seen        ? record->second.first
                                      : is_requested ? request->zones
                                                     : record->second.second);
  }
  return intern(std::move(held));
}

// Empty if the node lacks one of the zones: half a record would be worse than none.
std::vector<ZoneShare> Cluster::zone_shares(NodeId node, const std::vector<ZoneRecord>& record) {
  const NodeTopologyObject* topology = devices_.topology(nodes_[node].name);
  std::vector<ZoneShare> shares;
  if (topology == nullptr) return shares;
  for (const ZoneRecord& part : record) {
    const auto zone = std::find_if(topology->zones.begin(), topology->zones.end(),
                                   [&](const NumaZoneSpec& z) { return z.name == part.zone; });
    if (zone == topology->zones.end()) return {};
    for (const NamedAmount& a : part.amounts)
      shares.push_back(
          {static_cast<std::uint32_t>(zone - topology->zones.begin()), kinds_.intern(a.name), a.units});
  }
  std::sort(shares.begin(), shares.end(), [](const ZoneShare& a, const ZoneShare& b) {
    return std::pair(a.zone, a.kind) < std::pair(b.zone, b.kind);
  });
  return shares;
}

namespace {

// Visits the GPUs of the holding that serve the GPUs the claims ask for, one by one.
template <class Visit>
std::int64_t for_each_counted(const DeviceTable& devices, const Shape& shape,
                              std::span<const AllocationId> claims, Visit visit) {
  std::int64_t counted = 0;
  for (AllocationId a : claims) {
    if (!a.valid()) continue;
    for (GroupId gpu : devices.allocation(a).gpus)
      if (counted < shape.claimed_gpus) visit(gpu), ++counted;
  }
  return counted;
}

}  // namespace

// Counts each device once, however many tasks share it.
std::int64_t Cluster::account_claimed(const Shape& shape, NodeId node, TaskStatus as, HoldingId held,
                                      int sign) {
  if (allocatable().at(kGpu, node) == 0) return 0;
  return for_each_counted(devices_, shape, holding(held).claims,
                          [&](GroupId gpu) { nodes_.add_claimed(node, gpu, sign, as); });
}

std::int64_t Cluster::counted_devices(const Shape& shape, NodeId node, bool even_if_releasing) const {
  const auto& claimed = nodes_[node].claimed;
  if (claimed.empty()) return 0;
  absl::InlinedVector<AllocationId, 4> current;
  for (ClaimId c : shape.claims) {
    const bool at_once = options_.compatibility.join_claims_at_once;
    current.push_back(!c.valid() ? AllocationId()
                      : at_once  ? devices_.claim(c).current()
                                 : devices_.claim(c).allocated);
  }
  std::int64_t shared = 0;
  for_each_counted(devices_, shape, current, [&](GroupId gpu) {
    const auto at = std::lower_bound(claimed.begin(), claimed.end(), gpu,
                                     [](const SharedGpu& g, GroupId wanted) { return g.group < wanted; });
    if (at == claimed.end() || at->group != gpu) return;
    shared += even_if_releasing ? at->allocated > 0 : !at->wholly_releasing() || at->pipelined > 0;
  });
  return shared;
}

void Cluster::account_claims(const Task& task, const Placement& at, int sign) {
  if (!at.holding.valid() || !in(at.status, kActiveAllocated)) return;
  const auto& claims = shapes_[task.shape].claims;
  const auto& allocations = holdings_[at.holding].claims;
  for (std::size_t i = 0; i < claims.size() && i < allocations.size(); ++i)
    if (claims[i].valid() && allocations[i].valid()) devices_.hold(claims[i], allocations[i], sign);
}

// ---------------------------------------------------------------- refresh

ClaimedParts Cluster::claimed_parts(const Task& task) {
  ClaimedParts parts;
  for (const ClaimReference& r : shapes_[shapes_.base_of(task.shape)].constraints.resource_claims) {
    parts.claims.push_back(r.claim.empty() ? ClaimId() : devices_.mention_claim(task.ns, r.claim));
    if (parts.claims.back().valid()) parts.gpus += devices_.claim(parts.claims.back()).gpus;
  }
  if (!backed_.empty()) add_container_claim(task, parts);
  return parts;
}

// Updates the shape of a task with claims to the number of GPUs they ask for, once that is known.
void Cluster::settle_claims(TaskId t) {
  Task& task = jobs_.task(t);
  ClaimedParts parts = claimed_parts(task);
  claim_tasks_.set(t, !parts.claims.empty());
  claims_stale_ = claims_stale_ || !parts.claims.empty();
  const ShapeId settled = shapes_.with_claims(shapes_.base_of(task.shape), std::move(parts));
  if (settled == task.shape) return;
  account(t, placement(t), -1);
  if (task.is_workload()) shapes_.count_tasks(task.shape, -1);
  task.shape = settled;
  if (task.is_workload()) shapes_.count_tasks(task.shape, +1);
  account(t, placement(t), +1);
  if (task.in_job()) settle_core(task.job);
}

void Cluster::refresh_devices() {
  refresh_backing();
  if (std::exchange(slices_stale_, false)) count_slices();
  if (std::exchange(zones_stale_, false)) {
    for (const auto& [t, record] : zone_records_)
      if (placement(t).status == observed_status(task(t))) move(t, observed_placement(t));
  }
  if (!claims_stale_) return;
  const std::vector<TaskId> tasks = claim_tasks_.items();
  for (TaskId t : tasks) {
    settle_claims(t);
    if (placement(t).status == observed_status(task(t))) move(t, observed_placement(t));
  }
  absl::flat_hash_set<std::string> active;
  for (TaskId t : tasks)
    if (in(placement(t).status, kActiveAllocated)) active.insert(task(t).uid);
  devices_.count_others(active);
  recount_claims();
  claims_stale_ = false;
}

void Cluster::count_slices() {
  IdVector<NodeId, std::int64_t> gpus(nodes().size(), 0);
  for (const ResourceSliceObject* slice : devices_.current_slices())
    if (!slice->reach.node.empty() && is_gpu_name(slice->driver))
      if (const NodeId node = find_node(slice->reach.node); node.valid())
        gpus[node] += static_cast<std::int64_t>(slice->devices.size());
  for (NodeId n : ids(nodes())) nodes_.set_claimable_gpus(n, gpus[n]);
}

void Cluster::recount_claims() {
  devices_.clear_holders();
  for (TaskId t : claim_tasks_.items()) account_claims(task(t), placement(t), +1);
}

}  // namespace muster
