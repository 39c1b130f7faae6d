// The table of kinds, one row per kind.
#include "manifest/kinds.hpp"

#include <algorithm>
#include <cassert>

#include "manifest/decoders.hpp"

namespace muster {
namespace {

template <class T>
void decode_as(const Field& root, Object& into) {
  decode(root, into.emplace<T>());
}

constexpr std::string_view kCore, kRunAi = "scheduling.run.ai", kStorage = "storage.k8s.io",
                                  kResource = "resource.k8s.io";

template <class T>
constexpr ObjectKind spaced(std::string_view group, std::string_view version, std::string_view plural,
                            Watch watch = Watch::kAlways) {
  return {group, version, T::kKind, plural, true, &decode_as<T>, watch};
}

template <class T>
constexpr ObjectKind global(std::string_view group, std::string_view version, std::string_view plural,
                            Watch watch = Watch::kAlways) {
  return {group, version, T::kKind, plural, false, &decode_as<T>, watch};
}

constexpr ObjectKind of_fields(ObjectKind kind, std::string_view selector) {
  return kind.field_selector = selector, kind;
}

// v1beta2 is served by Kubernetes 1.33, v1beta1 by 1.32.
constexpr ObjectKind also_beta(ObjectKind kind) { return kind.older_versions = {"v1beta2", "v1beta1"}, kind; }

constexpr ObjectKind of_metadata(ObjectKind kind) { return kind.metadata_only = true, kind; }

constexpr ObjectKind kKinds[] = {
    global<NodeObject>(kCore, "v1", "nodes"),
    global<QueueObject>(kRunAi, "v2", "queues"),
    global<PriorityClassObject>("scheduling.k8s.io", "v1", "priorityclasses"),
    spaced<PodGroupObject>(kRunAi, "v2alpha2", "podgroups"),
    of_fields(spaced<PodObject>(kCore, "v1", "pods"), "status.phase!=Failed"),
    spaced<BindRequestObject>(kRunAi, "v1alpha2", "bindrequests", Watch::kOptional),
    global<TopologyObject>("kai.scheduler", "v1alpha1", "topologies", Watch::kOptional),
    of_metadata(spaced<ConfigMapObject>(kCore, "v1", "configmaps")),
    spaced<VolumeClaimObject>(kCore, "v1", "persistentvolumeclaims"),
    global<VolumeObject>(kCore, "v1", "persistentvolumes", Watch::kOptional),
    global<StorageClassObject>(kStorage, "v1", "storageclasses", Watch::kOptional),
    spaced<StorageCapacityObject>(kStorage, "v1", "csistoragecapacities", Watch::kOptional),
    global<CsiDriverObject>(kStorage, "v1", "csidrivers", Watch::kOptional),
    global<CsiNodeObject>(kStorage, "v1", "csinodes", Watch::kOptional),
    also_beta(spaced<ResourceClaimObject>(kResource, "v1", "resourceclaims", Watch::kOptional)),
    also_beta(global<ResourceSliceObject>(kResource, "v1", "resourceslices", Watch::kOptional)),
    also_beta(global<DeviceClassObject>(kResource, "v1", "deviceclasses", Watch::kOptional)),
    global<DeviceTaintRuleObject>(kResource, "v1alpha3", "devicetaintrules", Watch::kOptional),
    global<NodeTopologyObject>("topology.node.k8s.io", "v1alpha2", "noderesourcetopologies",
                               Watch::kOptional),
    spaced<LimitRangeObject>(kCore, "v1", "limitranges", Watch::kNever),
    global<RuntimeClassObject>("node.k8s.io", "v1", "runtimeclasses", Watch::kNever),
    spaced<PodGroupObject>("scheduling.kai.nvidia.com", "", "podgroups", Watch::kNever),
    spaced<PodGroupObject>("scheduling.volcano.sh", "", "podgroups", Watch::kNever),
};

}  // namespace

std::span<const ObjectKind> object_kinds() { return kKinds; }

const ObjectKind* find_kind(std::string_view group, std::string_view kind) {
  const auto is_it = [&](const ObjectKind& k) { return k.kind == kind && k.group == group; };
  const auto* const found = std::ranges::find_if(kKinds, is_it);
  return found == std::end(kKinds) ? nullptr : found;
}

const ObjectKind& kind_named(std::string_view kind) {
  const auto* const found = std::ranges::find(kKinds, kind, &ObjectKind::kind);
  assert(found != std::end(kKinds) && "the kind is in the table");
  return *found;
}

}  // namespace muster
