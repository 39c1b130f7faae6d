// Resources that pods request as amounts and receive as devices of a device class.
#include <algorithm>

#include "model/cluster.hpp"

namespace muster {
namespace {

constexpr std::string_view kGpuNames[] = {"nvidia.com/gpu", "amd.com/gpu"};

bool is_offered(const IdVector<NodeId, Node>& nodes, Kind kind) {
  return std::ranges::any_of(nodes, [&](const Node& node) {
    return node.present && std::ranges::any_of(node.allocatable, [&](const Amount& a) {
             return a.kind == kind && a.units > 0;
           });
  });
}

// The containers as the pod's object lists them.
std::vector<ContainerRequest> containers_of(const Shape& base, const KindTable& kinds) {
  if (!base.containers.empty()) return base.containers;
  ContainerRequest only;
  for (const Amount& a : base.request)
    if (a.kind != kPods) only.amounts.push_back({kinds.name(a.kind), a.units});
  std::ranges::sort(only.amounts, {}, &NamedAmount::name);
  return {only};
}

std::vector<BackedResource> backed_in(const Shape& base, const std::map<Kind, BackedResource>& backed) {
  std::vector<BackedResource> found;
  if (base.is_shared() || base.is_mig()) return found;
  for (const Amount& a : base.request)
    if (const auto at = backed.find(a.kind); at != backed.end()) found.push_back(at->second);
  return found;
}

}  // namespace

// A resource that a node offers as an amount is not served by devices. GPUs are an exception: nodes may offer
// them either way.
void Cluster::refresh_backing() {
  if (!std::exchange(backing_stale_, false) && backing_kinds_ == kinds_.size()) return;
  backing_kinds_ = kinds_.size();
  std::map<Kind, BackedResource> found;
  const auto look = [&](Kind kind, std::string_view name) {
    const auto* behind = class_behind(kept_, name);
    if (behind != nullptr && (kind == kGpu || !is_offered(nodes(), kind)))
      found.try_emplace(kind, BackedResource{std::string(name), kinds_.name(kind), behind->meta.name});
  };
  if (!kept_.all<DeviceClassObject>().empty()) {
    for (const std::string_view name : kGpuNames) look(kGpu, name);
    const std::size_t end = options_.compatibility.device_claims_in_full ? kinds_.size() : 0;
    for (std::size_t k = kPods.index() + 1; k < end; ++k)
      look(Kind(static_cast<std::uint32_t>(k)), kinds_.name(Kind(static_cast<std::uint32_t>(k))));
  }
  if (found == backed_) return;
  backed_ = std::move(found);
  for (TaskId t : ids(tasks()))
    if (task(t).alive && task(t).shape.valid()) settle_claims(t);
}

ContainerDevices Cluster::container_devices(TaskId t) const {
  const Shape& base = shapes_[shapes_.base_of(task(t).shape)];
  return devices_for(containers_of(base, kinds_), backed_in(base, backed_));
}

// A pod that is on a node without a claim got its request as plain amounts.
void Cluster::add_container_claim(const Task& task, ClaimedParts& parts) {
  const Shape& base = shapes_[shapes_.base_of(task.shape)];
  const std::vector<BackedResource> resources = backed_in(base, backed_);
  if (resources.empty()) return;
  const bool is_named = !task.container_claim.empty();
  const std::string name = is_named ? task.container_claim : container_claim_name(task.name, task.uid);
  if (!is_named && task.observed.node.valid() && !devices_.is_used(task.ns, name)) return;
  parts.claims.push_back(
      devices_.imagine(task.ns, name, devices_for(containers_of(base, kinds_), resources).requests));
  for (const Amount& a : base.request)
    if (a.kind != kGpu && backed_.contains(a.kind)) parts.instead_of.push_back(a.kind);
  parts.of_containers.push_back({.name = std::string(kContainerClaim),
                                 .claim = name,
                                 .from_template = true,
                                 .of_containers = true,
                                 .unless_offered = parts.instead_of.empty()});
}

void Cluster::forget_imagined_claims(const Task& task) {
  if (!task.shape.valid()) return;
  for (ClaimId claim : shapes_[task.shape].claims)
    if (claim.valid()) devices_.forget_imagined(claim);
}

}  // namespace muster
