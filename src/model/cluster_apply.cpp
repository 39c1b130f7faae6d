// Deltas: objects that are added, changed or gone, of any kind. What jobs and their pods mean stands in
// cluster_jobs.cpp, devices in cluster_devices.cpp.
#include <algorithm>

#include "model/cluster.hpp"

namespace muster {
namespace {

const std::string* find_label(const Labels& labels, std::string_view key) {
  for (const auto& [k, v] : labels)
    if (k == key) return &v;
  return nullptr;
}

std::int64_t gpu_memory_of(const Labels& labels, bool& known) {
  const std::string* text = find_label(labels, "nvidia.com/gpu.memory");
  std::int64_t mib = 0;
  known = false;
  if (text != nullptr && !text->empty() && text->find_first_not_of("0123456789") == std::string::npos &&
      text->size() < 18)
    mib = std::stoll(*text);
  if (mib >= (1 << 20)) mib >>= 20;  // given in bytes
  mib -= mib % 100;
  if (mib <= 0) return 100;
  known = true;
  return mib;
}

std::int64_t devices_of(const Labels& labels, std::int64_t allocatable) {
  const std::string* text = find_label(labels, "nvidia.com/gpu.count");
  if (text == nullptr || text->empty() || text->find_first_not_of("0123456789") != std::string::npos ||
      text->size() > 9)
    return allocatable;
  return std::stoll(*text);
}

MigStrategy strategy_of(const Labels& labels) {
  const std::string* text = find_label(labels, "nvidia.com/mig.strategy");
  if (text == nullptr) return MigStrategy::kNone;
  return *text == "single"  ? MigStrategy::kSingle
         : *text == "mixed" ? MigStrategy::kMixed
                            : MigStrategy::kNone;
}

bool is_mig_node(const NodeObject& object, const std::string& role_label) {
  if (const std::string* role = find_label(object.meta.labels, role_label))
    return *role == "true" || *role == "1" || *role == "t" || *role == "T" || *role == "TRUE" ||
           *role == "True";
  return std::any_of(object.allocatable.begin(), object.allocatable.end(), [](const NamedAmount& a) {
    return a.name.starts_with("nvidia.com/mig-") && a.units > 0;
  });
}

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

// ---------------------------------------------------------------- any object

void Cluster::apply(Object&& object) {
  ++revision_;
  std::visit(
      [this](auto& known) {
        if constexpr (requires { take(std::move(known)); })
          take(std::move(known));
        else
          kept_.put(std::move(known));
      },
      object);
}

void Cluster::remove(std::string_view kind, std::string_view ns, std::string_view name) {
  ++revision_;
  const bool is_known = visit_kind(kind, [&]<class T>(std::type_identity<T>) {
    if constexpr (requires { take(Gone<T>{}); })
      take(Gone<T>{ns, name});
    else
      kept_.erase<T>(ns, name);
  });
  if (!is_known && owners_.remove(kind, ns, name)) classes_stale_ = true;
}

// ---------------------------------------------------------------- first mention

NodeId Cluster::mention_node(std::string_view name) {
  const auto [found, is_new] = node_ids_.try_emplace(std::string(name), nodes_.end_id());
  if (is_new) {
    nodes_.push_back(Node{.name = std::string(name)});
    node_stale_.push_back(true);
    foreign_.push_back({});
    overdrawn_now_.push_back(0);
    overdrawn_.push_back(0);
    ranks_.push_back(0);
    some_node_stale_ = true;
  }
  return found->second;
}

QueueId Cluster::mention_queue(std::string_view name) {
  const auto [found, is_new] = queue_ids_.try_emplace(std::string(name), queues_.end_id());
  if (is_new) {
    queues_[queues_.push_back({})].name = name;
    uses_.push_back({});
  }
  return found->second;
}

JobId Cluster::mention_job(std::string_view ns, std::string_view name) {
  const auto [found, is_new] = job_ids_.try_emplace(key_of(ns, name), JobId());
  if (!is_new) return found->second;
  if (free_jobs_.empty()) {
    found->second = jobs_.push_back({});
  } else {
    found->second = free_jobs_.back();
    free_jobs_.pop_back();
  }
  Job& job = jobs_[found->second];
  job = Job{.ns = std::string(ns), .name = std::string(name)};
  build_tree(PodGroupObject{}, job);
  return found->second;
}

TaskId Cluster::mention_task(std::string_view ns, std::string_view name) {
  const auto [found, is_new] = task_ids_.try_emplace(key_of(ns, name), TaskId());
  if (!is_new) return found->second;
  if (!free_tasks_.empty()) {
    found->second = free_tasks_.back();
    free_tasks_.pop_back();
    tasks_[found->second] = Task{};
    placements_[found->second] = Placement{.status = TaskStatus::kGone};
  } else {
    found->second = tasks_.push_back({});
    placements_.push_back({.status = TaskStatus::kGone});
  }
  return found->second;
}

// ---------------------------------------------------------------- nodes

void Cluster::set_stale(NodeId id) {
  node_stale_[id] = true;
  some_node_stale_ = true;
}

NodeId Cluster::take(NodeObject&& object) {
  const NodeId id = mention_node(object.meta.name);
  Node& node = nodes_[id];
  const bool was_present = node.present;
  const std::int64_t old_memory = node.gpu_memory;
  const bool has_role = find_label(object.meta.labels, options_.cpu_worker_label) != nullptr ||
                        find_label(object.meta.labels, options_.gpu_worker_label) != nullptr;
  node.present = in_partition(object.meta.labels) && (!options_.restrict_node_scheduling || has_role);
  node.created = object.meta.created;
  node.taints = std::move(object.taints);
  node.unschedulable = object.unschedulable;
  node.not_ready = object.not_ready;
  node.memory_pressure = object.memory_pressure;
  node.disk_pressure = object.disk_pressure;
  node.pid_pressure = object.pid_pressure;
  node.network_unavailable = object.network_unavailable;
  node.is_mig = is_mig_node(object, options_.mig_worker_label);
  node.mig_strategy = strategy_of(object.meta.labels);
  node.gpu_memory = gpu_memory_of(object.meta.labels, node.gpu_memory_known);
  Request allocatable;
  for (const NamedAmount& a : object.allocatable)
    if (a.units > 0) allocatable.push_back({kinds_.intern(a.name), a.units});
  node.gpu_devices = devices_of(object.meta.labels, amount_of(allocatable, kGpu) / kOneGpu);
  const bool same_capacity =
      was_present == node.present && allocatable == node.allocatable && old_memory == node.gpu_memory;
  node.allocatable = std::move(allocatable);
  std::sort(object.meta.labels.begin(), object.meta.labels.end());
  if (node.labels != object.meta.labels) topologies_stale_ = true;
  node.labels = std::move(object.meta.labels);
  if (was_present != node.present) node_list_stale_ = slices_stale_ = true;
  if (!same_capacity) {
    set_stale(id);
    if (was_present != node.present || old_memory != node.gpu_memory) queues_stale_ = true;
  }
  touch(id);
  return id;
}

void Cluster::take(Gone<NodeObject> gone) {
  const NodeId id = find_node(gone.name);
  if (!id.valid() || !nodes_[id].present) return;
  nodes_[id].present = false;
  nodes_[id].allocatable.clear();
  node_list_stale_ = queues_stale_ = true;
  set_stale(id);
}

// ---------------------------------------------------------------- queues, priority classes, other facts

void Cluster::take(QueueObject&& object) {
  Queue& queue = queues_[mention_queue(object.meta.name)];
  const bool present = in_partition(object.meta.labels);
  if (queue.present != present || queue.parent_name != object.parent_name ||
      queue.meta.created != object.meta.created)
    queues_stale_ = true;
  queue.present = present;
  static_cast<QueueObject&>(queue) = std::move(object);
}

void Cluster::take(Gone<QueueObject> gone) {
  const QueueId id = find_queue(gone.name);
  if (!id.valid() || !queues_[id].present) return;
  queues_[id].present = false;
  queues_stale_ = true;
}

void Cluster::take(PriorityClassObject&& object) {
  kept_.put(std::move(object));
  classes_stale_ = true;
}
void Cluster::take(Gone<PriorityClassObject> gone) {
  if (kept_.erase<PriorityClassObject>(gone.ns, gone.name)) classes_stale_ = true;
}

// Only that it exists matters, and there may be many.
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

}  // namespace muster
