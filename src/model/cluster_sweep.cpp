// Frees interned names and sets that no task, node or bind request refers to. A sweep runs once as many have
// been added as were in use after the last one.
#include <algorithm>

#include "model/cluster.hpp"

namespace muster {

std::size_t Cluster::interned() const {
  return shapes_.count() + label_sets_.count() + owners_.count() + holdings_.count() + groups_.count() +
         kinds_.count() + nodes_.count() + devices_.interned();
}

void Cluster::sweep_if_due() {
  constexpr std::size_t kFewest = 4096;
  if (interned() < sweep_at_) return;
  sweep();
  ++sweeps_;
  sweep_at_ = std::max(kFewest, 2 * interned());
}

// Goes from referring tables to the tables they refer to.
void Cluster::sweep() {
  Marks<ShapeId> shapes(shapes_.size());
  Marks<LabelSetId> labels(label_sets_.size());
  Marks<OwnerId> owners(owners_.size());
  Marks<HoldingId> holdings(holdings_.size());
  Marks<NodeId> used_nodes(nodes().size());
  for (TaskId t : ids(tasks())) {
    const Task& pod = task(t);
    if (!pod.alive) continue;
    shapes.add(pod.shape);
    labels.add(pod.labels);
    owners.add(pod.owner);
    holdings.add(pod.observed.holding);
    for (NodeId n : {pod.nominated, pod.observed.node}) used_nodes.add(n);
    const Placement& at = placement(t);
    for (HoldingId h : {at.holding, at.source_holding, at.via_holding}) holdings.add(h);
    for (NodeId n : {at.node, at.source, at.via}) used_nodes.add(n);
  }
  label_sets_.keep_only(labels);
  owners_.keep_only(owners);
  shapes_.keep_only(shapes);
  holdings_.keep_only(holdings);
  for (NodeId n : nodes_.keep_only(used_nodes)) groups_.forget_node(n);
  sweep_groups_and_kinds();
}

void Cluster::sweep_groups_and_kinds() {
  Marks<GroupId> groups(groups_.size());
  Marks<Kind> kinds(kinds_.size());
  Marks<ClaimId> claims(devices_.claims().size());
  Marks<AllocationId> allocations(devices_.allocations());
  for (const Holding& held : holdings_.all()) {
    for (GroupId g : held.groups) groups.add(g);
    for (AllocationId a : held.claims) allocations.add(a);
    for (const ZoneShare& z : held.zones) kinds.add(z.kind);
  }
  for (const Shape& shape : shapes_.all()) {
    for (const Amount& a : shape.request) kinds.add(a.kind);
    for (ClaimId c : shape.claims) claims.add(c);
  }
  for (const Node& node : nodes()) {
    for (const Amount& a : node.allocatable) kinds.add(a.kind);
    for (const SharedGpu& gpu : node.shared) groups.add(gpu.group);
  }
  for (Kind k : allocatable().offered()) kinds.add(k);
  for (const auto& [name, request] : bind_requests_)
    for (const auto& [claim, allocation] : request.claims) allocations.add(allocation);
  groups_.keep_only(groups);
  kinds_.keep_only(std::move(kinds));
  backing_stale_ = true;
  devices_.keep_only(std::move(claims), std::move(allocations));
}

}  // namespace muster
