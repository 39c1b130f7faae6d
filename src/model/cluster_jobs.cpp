// Deltas of jobs and their pods: who belongs to whom, and where a pod is seen to stand.
#include <algorithm>

#include "model/cluster.hpp"
#include "util/keys.hpp"

namespace muster {
namespace {

// In conditions the nodes without a label are called "default".
bool is_same_pool(const std::string& named, const std::string& ours) {
  return named == ours || (ours.empty() && named == "default");
}

}  // namespace

// ---------------------------------------------------------------- jobs

void Cluster::take(PodGroupObject&& object) {
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
                   is_same_pool(*object.unschedulable_node_pool, options_.node_pool);
  if (const std::string problem = build_tree(object, job); !problem.empty())
    warn("PodGroup " + job.full_name(), "spec.subGroups", problem + "; taken as one group with minimum 1");
  mark_stale(id, object.stale_since);
  for (TaskId t : members) attach(t, id);
  unresolved_jobs_.insert(id);
  ++job.version;
  classify(id);
}

void Cluster::take(Gone<PodGroupObject> gone) {
  const JobId id = find_job(gone.ns, gone.name);
  if (!id.valid()) return;
  take(PodGroupObject{.meta = {.ns = std::string(gone.ns), .name = std::string(gone.name)}});
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
  job.pod_sets[task.pod_set].tasks.push_back(t);
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

TaskId Cluster::take(PodObject&& object) {
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

void Cluster::take(Gone<PodObject> gone) {
  const auto found = task_ids_.find(key_of(gone.ns, gone.name));
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
  const Placement seen = observed_placement(id);
  for (GroupId group : groups(seen.groups)) groups_.spend(group);
  move(id, seen);
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

void Cluster::take(BindRequestObject&& object) {
  mention_node(object.node);
  const std::string key = key_of(object.meta.ns, object.pod.empty() ? object.meta.name : object.pod);
  BindRequestFacts facts{object.node, object.pod_uid,         object.gpu_groups, object.failed,
                         {},          std::move(object.zones)};
  for (ClaimAllocation& c : object.claims)
    facts.claims.emplace_back(std::move(c.claim), devices_.intern(std::move(c.allocation)));
  bind_requests_[key] = std::move(facts);
  if (const auto task = task_ids_.find(key); task != task_ids_.end()) reobserve(task->second);
}

void Cluster::take(Gone<BindRequestObject> gone) {
  const std::string key = key_of(gone.ns, gone.name);
  if (bind_requests_.erase(key) == 0) return;
  if (const auto task = task_ids_.find(key); task != task_ids_.end()) reobserve(task->second);
}

}  // namespace muster
