// Deltas: objects that are added, changed or gone.
#include <algorithm>

#include "model/cluster.hpp"
#include "util/keys.hpp"

namespace muster {
namespace {

std::string key_of(std::string_view ns, std::string_view name) {
  std::string key;
  key.reserve(ns.size() + 1 + name.size());
  return key.append(ns).append(1, '/').append(name);
}

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
    queues_.push_back(Queue{.name = std::string(name)});
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

NodeId Cluster::apply(NodeObject&& object) {
  ++revision_;
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
  node.labels = std::move(object.meta.labels);
  std::sort(node.labels.begin(), node.labels.end());
  if (was_present != node.present) node_list_stale_ = slices_stale_ = true;
  if (!same_capacity) {
    set_stale(id);
    if (was_present != node.present || old_memory != node.gpu_memory) queues_stale_ = true;
  }
  touch(id);
  return id;
}

void Cluster::remove_node(std::string_view name) {
  ++revision_;
  const NodeId id = find_node(name);
  if (!id.valid() || !nodes_[id].present) return;
  nodes_[id].present = false;
  nodes_[id].allocatable.clear();
  node_list_stale_ = queues_stale_ = true;
  set_stale(id);
}

// ---------------------------------------------------------------- queues, priority classes, other facts

QueueId Cluster::apply(QueueObject&& object) {
  ++revision_;
  const QueueId id = mention_queue(object.meta.name);
  Queue& queue = queues_[id];
  const bool present = in_partition(object.meta.labels);
  if (queue.present != present || queue.parent_name != object.parent || queue.created != object.meta.created)
    queues_stale_ = true;
  queue.present = present;
  queue.display_name = std::move(object.display_name);
  queue.parent_name = std::move(object.parent);
  queue.created = object.meta.created;
  queue.uid = std::move(object.meta.uid);
  queue.priority = object.priority;
  queue.amounts = {object.cpu, object.memory, object.gpu};
  queue.preempt_min_runtime = object.preempt_min_runtime;
  queue.reclaim_min_runtime = object.reclaim_min_runtime;
  queue.expected_runtime = std::move(object.expected_runtime);
  queue.requeue_delay = std::move(object.requeue_delay);
  return id;
}

void Cluster::remove_queue(std::string_view name) {
  ++revision_;
  const QueueId id = find_queue(name);
  if (!id.valid() || !queues_[id].present) return;
  queues_[id].present = false;
  queues_stale_ = true;
}

void Cluster::apply(PriorityClassObject&& object) {
  ++revision_;
  const std::string name = object.meta.name;
  classes_[name] = std::move(object);
  classes_stale_ = true;
}
void Cluster::remove_priority_class(std::string_view name) {
  ++revision_;
  if (classes_.erase(std::string(name)) > 0) classes_stale_ = true;
}

void Cluster::apply(ConfigMapObject&& object) {
  ++revision_;
  config_maps_[key_of(object.meta.ns, object.meta.name)] = true;
}
void Cluster::remove_config_map(std::string_view ns, std::string_view name) {
  ++revision_;
  config_maps_.erase(key_of(ns, name));
}

void Cluster::apply(TopologyObject&& object) {
  ++revision_;
  const std::string name = object.meta.name;
  topologies_[name] = std::move(object);
}
void Cluster::remove_topology(std::string_view name) {
  ++revision_;
  topologies_.erase(std::string(name));
}

// ---------------------------------------------------------------- jobs

JobId Cluster::apply(PodGroupObject&& object) {
  ++revision_;
  const JobId id = mention_job(object.meta.ns, object.meta.name);
  std::vector<TaskId> members = jobs_[id].outsiders;
  for (const PodSet& p : jobs_[id].pod_sets) members.insert(members.end(), p.tasks.begin(), p.tasks.end());
  for (TaskId t : members) detach(t);
  Job& job = jobs_[id];
  job.present = in_partition(object.meta.labels);
  job.uid = object.meta.uid;
  job.created = object.meta.created;
  job.queue_name = object.queue;
  job.queue = mention_queue(object.queue);
  job.priority_class = object.priority_class;
  job.preemptibility_spec = object.preemptibility;
  job.preemption_delay = object.preemption_delay;
  job.staleness_grace = object.staleness_grace;
  job.last_start = object.last_start;
  job.last_eviction = object.last_eviction;
  job.expected_runtime = object.expected_runtime;
  job.requeue_delay = object.requeue_delay;
  job.requeue_not_before = object.requeue_not_before;
  job.requeued_at = object.requeued_at ? parse_time(*object.requeued_at) : std::nullopt;
  if (object.requeued_at && !job.requeued_at)
    warn("PodGroup " + job.full_name(), "metadata.annotations." + std::string(keys::kRequeuedAt),
         "\"" + *object.requeued_at + "\" is no RFC 3339 time, and counts as absent");
  job.expected_runtime ? opted_in_.insert(id) : opted_in_.erase(id);
  job.mark_unschedulable = object.mark_unschedulable;
  job.stays_terminating = object.stays_terminating;
  job.backed_off = object.scheduling_backoff != -1 && object.unschedulable_node_pool &&
                   *object.unschedulable_node_pool == options_.node_pool;
  if (const std::string problem = build_tree(object, job); !problem.empty())
    warn("PodGroup " + job.full_name(), "spec.subGroups", problem + "; taken as one group with minimum 1");
  mark_stale(id, object.stale_since);
  for (TaskId t : members) attach(t, id);
  unresolved_jobs_.insert(id);
  ++job.version;
  classify(id);
  return id;
}

void Cluster::remove_pod_group(std::string_view ns, std::string_view name) {
  ++revision_;
  const JobId id = find_job(ns, name);
  if (!id.valid()) return;
  PodGroupObject nothing;
  nothing.meta.ns = std::string(ns);
  nothing.meta.name = std::string(name);
  apply(std::move(nothing));
  jobs_[id].present = false;
  classify(id);
  release_if_unused(id);
}

void Cluster::release_if_unused(JobId id) {
  const Job& job = jobs_[id];
  const bool has_tasks =
      !job.outsiders.empty() ||
      std::any_of(job.pod_sets.begin(), job.pod_sets.end(), [](const PodSet& p) { return !p.tasks.empty(); });
  if (job.present || has_tasks) return;
  job_ids_.erase(key_of(job.ns, job.name));
  unresolved_jobs_.erase(id);
  stale_marked_.erase(id);
  free_jobs_.push_back(id);
}

// Puts a task into its pod set and adds what it means for queue and job.
void Cluster::attach(TaskId t, JobId id) {
  Task& task = tasks_[t];
  Job& job = jobs_[id];
  const std::string& wanted = task.sub_group;
  task.job = id;
  task.pod_set = Task::kNoSet;
  for (std::uint32_t i = 0; i < job.pod_sets.size(); ++i)
    if (job.pod_sets[i].name == (wanted.empty() ? "default" : wanted)) task.pod_set = i;
  if (task.pod_set == Task::kNoSet) {
    job.outsiders.push_back(t);
    return;
  }
  PodSet& set = job.pod_sets[task.pod_set];
  set.tasks.push_back(t);
  set.ordered_by = 0;
  account_queue(task, placements_[t], +1);
  account_counts(task, placements_[t].status, +1);
  settle_core(id);
}

void Cluster::detach(TaskId t) {
  Task& task = tasks_[t];
  if (!task.job.valid()) return;
  Job& job = jobs_[task.job];
  if (task.pod_set == Task::kNoSet) {
    std::erase(job.outsiders, t);
  } else {
    account_queue(task, placements_[t], -1);
    account_counts(task, placements_[t].status, -1);
    auto& tasks = job.pod_sets[task.pod_set].tasks;
    tasks.erase(std::find(tasks.begin(), tasks.end(), t));
  }
  const JobId id = std::exchange(task.job, JobId());
  task.pod_set = Task::kNoSet;
  settle_core(id);
}

// ---------------------------------------------------------------- pods

void Cluster::note_constraints(const Shape& shape) {
  const Constraints& c = shape.constraints;
  has_host_ports_ |= !c.host_ports.empty();
  has_preferred_affinity_ |= !c.preferred_affinity.empty() || !c.preferred_anti_affinity.empty();
  has_pod_affinity_ |= !c.pod_affinity.empty() || !c.pod_anti_affinity.empty();
}

TaskId Cluster::apply(PodObject&& object) {
  ++revision_;
  const TaskId id = mention_task(object.meta.ns, object.meta.name);
  if (in(placements_[id].status, kActiveUsed)) move(id, {.status = TaskStatus::kGone});
  detach(id);
  Task& task = tasks_[id];
  task.ns = object.meta.ns;
  task.name = object.meta.name;
  task.uid = object.meta.uid;
  task.created = object.meta.created;
  task.shape = shapes_.intern(object, kinds_);
  note_constraints(shapes_[task.shape]);
  settle_claims(id);
  task.labels = label_sets_.intern(object.meta.labels);
  task.sub_group = std::move(object.sub_group);
  task.nominated = object.nominated_node.empty() ? NodeId() : mention_node(object.nominated_node);
  task.task_priority = std::move(object.task_priority);
  task.preemptibility = std::move(object.preemptibility);
  task.owner = owners_.mention(task.ns, object.owner);
  task.leads_kubeflow = object.leads_kubeflow;
  task.leads_ray = object.leads_ray;
  task.is_reservation = object.app == options_.reservation_app;
  const bool is_utility = task.is_reservation || object.app == options_.scaling_app;
  task.foreign = object.scheduler != options_.scheduler_name && !is_utility;
  task.stays_terminating = object.stays_terminating;
  task.alive = true;
  std::vector<GroupId> group_list;
  for (const std::string& g : object.gpu_groups) group_list.push_back(intern_group(g));
  task.observed = {.phase = object.phase,
                   .gated = object.gated,
                   .deletion = object.deletion,
                   .node = object.node.empty() ? NodeId() : mention_node(object.node),
                   .groups = intern_groups(std::move(group_list))};
  placements_[id] = {.status = TaskStatus::kGone};
  zone_records_.erase(id);
  if (!object.numa_observed.empty() || !object.numa_predicted.empty())
    zone_records_[id] = {std::move(object.numa_observed), std::move(object.numa_predicted)};
  if (!object.pod_group.empty()) {
    const JobId job = mention_job(task.ns, object.pod_group);
    attach(id, job);
    if (!task.preemptibility.empty() || task.owner.valid()) unresolved_jobs_.insert(job);
  }
  reobserve(id);
  return id;
}

void Cluster::remove_pod(std::string_view ns, std::string_view name) {
  ++revision_;
  const auto found = task_ids_.find(key_of(ns, name));
  if (found == task_ids_.end()) return;
  const TaskId id = found->second;
  const JobId job = tasks_[id].job;
  move(id, {.status = TaskStatus::kGone});
  detach(id);
  if (job.valid()) {
    unresolved_jobs_.insert(job);
    release_if_unused(job);
  }
  terminating_.erase(id);
  claim_tasks_.erase(id);
  zone_records_.erase(id);
  tasks_[id] = Task{.alive = false};
  task_ids_.erase(found);
  free_tasks_.push_back(id);
}

void Cluster::observe(TaskId id, const Observed& seen) {
  tasks_[id].observed = seen;
  reobserve(id);
}

void Cluster::reobserve(TaskId id) {
  terminating_.set(id, tasks_[id].observed.deletion.has_value());
  claims_stale_ = claims_stale_ || claim_tasks_.contains(id);
  move(id, observed_placement(id));
}

TaskStatus Cluster::observed_status(const Task& task) const {
  const Observed& seen = task.observed;
  switch (seen.phase) {
    case PodPhase::kRunning:
      if (!seen.deletion) return TaskStatus::kRunning;
      return now_ - *seen.deletion > options_.stuck_threshold ? TaskStatus::kStuckInReleasing
                                                              : TaskStatus::kReleasing;
    case PodPhase::kPending:
      if (seen.deletion) return TaskStatus::kReleasing;
      if (seen.node.valid()) return TaskStatus::kBound;
      return seen.gated ? TaskStatus::kGated : TaskStatus::kPending;
    case PodPhase::kSucceeded:
      return TaskStatus::kSucceeded;
    case PodPhase::kFailed:
      return TaskStatus::kFailed;
    case PodPhase::kUnknown:
      break;
  }
  return TaskStatus::kUnknown;
}

const Cluster::BindRequestFacts* Cluster::bind_request_of(const Task& task) const {
  if (bind_requests_.empty()) return nullptr;
  const auto found = bind_requests_.find(key_of(task.ns, task.name));
  const bool applies = found != bind_requests_.end() && !found->second.failed &&
                       (found->second.uid.empty() || found->second.uid == task.uid);
  return applies ? &found->second : nullptr;
}

Placement Cluster::observed_placement(TaskId id) {
  const Task& task = tasks_[id];
  Placement at{.status = observed_status(task), .node = task.observed.node, .groups = task.observed.groups};
  const BindRequestFacts* request = bind_request_of(task);
  const bool unbound_pending = task.observed.phase == PodPhase::kPending && !task.observed.node.valid();
  if (unbound_pending && request != nullptr) {
    if (at.status != TaskStatus::kReleasing) at.status = TaskStatus::kBinding;
    if (const auto node = node_ids_.find(request->node); node != node_ids_.end()) at.node = node->second;
    std::vector<GroupId> list;
    for (const std::string& g : request->groups) list.push_back(intern_group(g));
    at.groups = intern_groups(std::move(list));
  }
  if (!in(at.status, kActiveUsed)) return at.node = {}, at.groups = {}, at;
  at.groups = observed_holding(id, at, request);
  return at;
}

void Cluster::apply(BindRequestObject&& object) {
  ++revision_;
  mention_node(object.node);
  const std::string key = key_of(object.meta.ns, object.pod.empty() ? object.meta.name : object.pod);
  BindRequestFacts facts{object.node, object.pod_uid, object.gpu_groups, object.failed, {}, std::move(object.zones)};
  for (ClaimAllocation& c : object.claims)
    facts.claims.emplace_back(std::move(c.claim), devices_.intern(std::move(c.allocation)));
  bind_requests_[key] = std::move(facts);
  if (const auto task = task_ids_.find(key); task != task_ids_.end()) reobserve(task->second);
}

void Cluster::remove_bind_request(std::string_view ns, std::string_view name) {
  ++revision_;
  const std::string key = key_of(ns, name);
  if (bind_requests_.erase(key) == 0) return;
  if (const auto task = task_ids_.find(key); task != task_ids_.end()) reobserve(task->second);
}

}  // namespace muster
