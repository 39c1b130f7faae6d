// Deltas of all kinds: objects that are added, changed or removed. Jobs and pods are handled in
// cluster_jobs.cpp, devices in cluster_devices.cpp.
#include <type_traits>
#include <utility>

#include "model/cluster.hpp"

namespace muster {
namespace {

template <class T, class... Others>
constexpr bool kIsOneOf = (std::is_same_v<T, Others> || ...);

// Kinds whose objects are only stored. Any other kind needs two functions take(), one for its objects and one
// for their removal; without them, the code does not compile.
template <class T>
constexpr bool kIsOnlyStored =
    kIsOneOf<T, VolumeClaimObject, VolumeObject, StorageClassObject, StorageCapacityObject, CsiDriverObject,
             CsiNodeObject, DeviceTaintRuleObject, LimitRangeObject, RuntimeClassObject>;

}  // namespace

void Cluster::warn(std::string object, std::string field, std::string message) {
  warnings_.push_back({std::move(object), std::move(field), std::move(message)});
}

std::vector<ObjectWarning> Cluster::take_warnings() { return std::exchange(warnings_, {}); }

bool Cluster::in_partition(const Labels& labels) const {
  if (options_.node_pool_label.empty()) return true;
  const std::string* value = find_label(labels, options_.node_pool_label);
  return options_.node_pool.empty() ? value == nullptr : value != nullptr && *value == options_.node_pool;
}

bool Cluster::is_worker(const Labels& labels) const {
  return !options_.restrict_node_scheduling || find_label(labels, options_.cpu_worker_label) != nullptr ||
         find_label(labels, options_.gpu_worker_label) != nullptr;
}

// ---------------------------------------------------------------- all kinds

void Cluster::apply(Object&& object) {
  std::visit(
      [this]<class Known>(Known& known) {
        if constexpr (!std::is_same_v<Known, NodeObject>) ++revision_;
        if constexpr (kIsOnlyStored<Known>)
          kept_.put(std::move(known));
        else
          take(std::move(known));
      },
      object);
}

void Cluster::remove(std::string_view kind, std::string_view ns, std::string_view name) {
  ++revision_;
  const bool is_known = visit_kind(kind, [&]<class T>(std::type_identity<T>) {
    if constexpr (kIsOnlyStored<T>)
      kept_.erase<T>(ns, name);
    else
      take(Gone<T>{ns, name});
  });
  if (!is_known && owners_.remove(kind, ns, name)) classes_stale_ = true;
}

// ---------------------------------------------------------------- each kind

NodeId Cluster::take(NodeObject&& object) {
  const Labels& labels = object.meta.labels;
  const bool present = in_partition(labels) && is_worker(labels);
  const NodeId id = nodes_.mention(object.meta.name);
  const NodeTable::Change change =
      nodes_.apply(id, std::move(object), present, {kinds_, options_.mig_worker_label});
  if (change.any) ++revision_;
  if (change.labels) topologies_stale_ = true;
  if (change.presence) slices_stale_ = true;
  if (change.any || change.presence) backing_stale_ = true;
  if (change.presence || change.gpu_memory) queues_.set_stale();
  return id;
}
void Cluster::take(Gone<NodeObject> gone) {
  if (!nodes_.remove(gone.name)) return;
  queues_.set_stale();
  backing_stale_ = true;
}

void Cluster::take(QueueObject&& object) {
  const bool present = in_partition(object.meta.labels);
  if (options_.compatibility.negative_minimum_is_unset)
    for (std::optional<Duration>* minimum : {&object.preempt_min_runtime, &object.reclaim_min_runtime})
      if (*minimum && **minimum < Duration::zero()) minimum->reset();
  queues_.apply(std::move(object), present);
}
void Cluster::take(Gone<QueueObject> gone) { queues_.remove(gone.name); }

void Cluster::take(PriorityClassObject&& object) {
  kept_.put(std::move(object));
  classes_stale_ = true;
}
void Cluster::take(Gone<PriorityClassObject> gone) {
  if (kept_.erase<PriorityClassObject>(gone.ns, gone.name)) classes_stale_ = true;
}

// Only existence matters, and there may be many, so the object itself is not stored.
void Cluster::take(ConfigMapObject&& object) {
  config_maps_.insert(key_of(object.meta.ns, object.meta.name));
}
void Cluster::take(Gone<ConfigMapObject> gone) { config_maps_.erase(key_of(gone.ns, gone.name)); }

void Cluster::take(TopologyObject&& object) {
  kept_.put(std::move(object));
  topologies_stale_ = true;
}
void Cluster::take(Gone<TopologyObject> gone) {
  if (kept_.erase<TopologyObject>(gone.ns, gone.name)) topologies_stale_ = true;
}

void Cluster::take(OwnerObject&& object) {
  if (owners_.apply(std::move(object))) classes_stale_ = true;
}
// Owners have kinds that no C++ type represents: remove() looks them up by kind.
void Cluster::take(Gone<OwnerObject>) {}

}  // namespace muster
