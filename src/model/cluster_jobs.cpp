// Deltas of jobs and pods: which pods belong to which job, and on which node a pod was observed.
#include <algorithm>

#include "model/cluster.hpp"
#include "util/keys.hpp"

namespace muster {
namespace {

// Conditions use the name "default" for the pool of nodes without a label.
bool is_same_pool(const std::string& named, const std::string& ours) {
  return named == ours || (ours.empty() && named == "default");
}

// Requests of the pod as a whole replace the sum over its containers. Sorted by name.
void count_pod_level(PodObject& object) {
  for (NamedAmount& amount : object.pod_level) {
    const auto at = std::ranges::lower_bound(object.requests, amount.name, {}, &NamedAmount::name);
    if (at != object.requests.end() && at->name == amount.name)
      at->units = amount.units;
    else
      object.requests.insert(at, std::move(amount));
  }
}

}  // namespace

// ---------------------------------------------------------------- jobs

void Cluster::take(PodGroupObject&& object) {
  const JobId id = jobs_.mention_job(object.meta.ns, object.meta.name);
  const std::vector<TaskId> members = jobs_.members(id);
  for (TaskId t : members) detach(t);
  Job& job = jobs_.job(id);
  job.in_partition = in_partition(object.meta.labels);
  job.present = job.in_partition;
  if (job.uid != object.meta.uid && members.empty()) job.granted.reset();
  if (!job.granted) job.granted = parse_preemptibility(object.told_preemptibility);
  if (job.last_queue.empty()) job.last_queue = job.granted_in = object.last_queue;
  job.backed_off = object.scheduling_backoff != -1 && object.unschedulable_node_pool &&
                   is_same_pool(*object.unschedulable_node_pool, options_.node_pool);
  read_job(object, job);
  if (object.requeued_at && !job.requeued_at)
    warn("PodGroup " + job.full_name(), "metadata.annotations." + std::string(keys::kRequeuedAt),
         "\"" + *object.requeued_at + "\" is not an RFC 3339 timestamp; ignored");
  if (const std::string problem = build_tree(object, job); !problem.empty())
    warn("PodGroup " + job.full_name(), "spec.subGroups", problem + "; treated as one group with minimum 1");
  settle_queue(id);
  for (TaskId t : members)
    attach(
        t,
        id);  // a pod that left the group may become a job; this reallocates the jobs, so `job` is dangling
  if (!jobs_.job(id).is_in_named_queue) settle_queue(id);  // its pods may know the last queue
  jobs_.unresolved.insert(id);
  jobs_.note_change(jobs_.job(id));
  jobs_.sort_in(id);
}

void Cluster::take(Gone<PodGroupObject> gone) {
  const JobId id = find_job(gone.ns, gone.name);
  if (!id.valid()) return;
  const Job& job = jobs_.job(id);
  take(PodGroupObject{.meta = {.ns = job.ns, .name = job.name, .uid = job.uid, .created = job.created}});
  jobs_.job(id).present = false;
  jobs_.job(id).in_partition = true;
  settle_queue(id);
  jobs_.sort_in(id);
  jobs_.free_if_unused(id);
}

// Adds the task to its pod set and updates the sums of queue and job.
void Cluster::attach(TaskId t, JobId id) {
  jobs_.join(t, id);
  const Task& member = task(t);
  if (!member.in_job()) return settle_stray(t);
  account_queue(member, placement(t), +1);
  count(member, placement(t).status, +1);
  settle_core({id, member.pod_set}, t, {.status = TaskStatus::kGone}, placement(t));
}

void Cluster::detach(TaskId t) {
  const Task& member = task(t);
  if (member.job.valid() && jobs_.job(member.job).is_of_one_pod) stop_standing_alone(t);
  if (!member.job.valid()) return;
  if (member.in_job()) {
    account_queue(member, placement(t), -1);
    count(member, placement(t).status, -1);
  }
  const SetOfJob left{member.job, member.pod_set};
  const bool was_in_job = member.in_job();
  jobs_.leave(t);
  if (was_in_job) settle_core(left, t, placement(t), {.status = TaskStatus::kGone});
}

// ---------------------------------------------------------------- pods

TaskId Cluster::take(PodObject&& object) {
  const TaskId id = jobs_.mention_task(object.meta.ns, object.meta.name);
  keep_membership(id, object);
  const JobId before = task(id).group;
  const std::string charged = task(id).uid == object.meta.uid ? queue_charged_for(task(id)) : "";
  if (in(placement(id).status, kActiveUsed)) move(id, {.status = TaskStatus::kGone});
  detach(id);
  jobs_.placement(id) = {.status = TaskStatus::kGone};
  Task& task = jobs_.task(id);
  if (object.phase == PodPhase::kRunning && object.node.empty() && !object.deletion)
    warn("Pod " + key_of(object.meta.ns, object.meta.name), "status.phase",
         "Running without a node; treated as unknown");
  if (task.is_workload()) shapes_.count_tasks(task.shape, -1);
  if (task.uid != object.meta.uid) forget_imagined_claims(task);
  read_task(object, task);
  if (!charged.empty()) task.last_queue = charged;
  if (task.is_workload()) shapes_.count_tasks(task.shape, +1);
  settle_claims(id);
  zone_records_.erase(id);
  if (!object.numa_observed.empty() || !object.numa_predicted.empty())
    zone_records_[id] = {std::move(object.numa_observed), std::move(object.numa_predicted)};
  join_group(id, object.pod_group);
  if (before.valid() && before != task.group) jobs_.free_if_unused(before);
  reobserve(id);
  return id;
}

// `name` is "" if the pod names no group. GPU reservations belong to no job, whatever they name: the pods
// that share the GPU are charged for it, and evicting a reservation would free nothing.
void Cluster::join_group(TaskId id, const std::string& name) {
  const Task& task = this->task(id);
  if (name.empty() || (task.is_reservation && options_.compatibility.reservations_in_namespace)) return;
  const JobId job = jobs_.mention_job(task.ns, name);
  attach(id, job);
  const Job& joined = jobs_.job(job);
  if (!joined.present || (!joined.is_in_named_queue && has_a_place(task))) settle_queue(job);
  if (!task.preemptibility.empty() || task.owner.valid()) jobs_.unresolved.insert(job);
}

bool Cluster::stays_in_its_group(const Task& task, const PodObject& object) const {
  if (!options_.compatibility.charge_until_gone || !task.alive || task.uid != object.meta.uid) return false;
  if (task.job != task.group || !task.in_job() || !jobs_.job(task.group).has_object()) return false;
  return object.node.empty() ? bind_request_of(task) != nullptr : has_a_place(task);
}

// A pod that is on a node, or being bound to one, stays in its group until the pod or the group is gone.
void Cluster::keep_membership(TaskId id, PodObject& object) {
  const Task& task = this->task(id);
  named_groups_.erase(id);
  if (!stays_in_its_group(task, object)) return;
  const std::string& group = jobs_.job(task.group).name;
  if (object.node.empty() && (object.pod_group != group || object.sub_group != task.sub_group))
    named_groups_[id] = {object.pod_group, object.sub_group};
  if (object.pod_group != group)
    warn("Pod " + task.full_name(), "metadata.annotations.pod-group-name",
         "the pod runs as part of PodGroup " + group + " and stays in it until it ends");
  else if (object.sub_group != task.sub_group)
    warn("Pod " + task.full_name(), "metadata.labels.kai.scheduler/subgroup-name",
         "the pod runs as part of sub group \"" + (task.sub_group.empty() ? "default" : task.sub_group) +
             "\" and stays in it until it ends");
  object.pod_group = group;
  object.sub_group = task.sub_group;
}

void Cluster::read_task(PodObject& object, Task& task) {
  task.alive = true;
  task.ns = object.meta.ns;
  task.name = object.meta.name;
  task.uid = object.meta.uid;
  task.created = object.meta.created;
  if (options_.compatibility.pod_level_resources) count_pod_level(object);
  task.shape = shapes_.intern(object, kinds_);
  task.labels = label_sets_.intern(object.meta.labels);
  task.sub_group = std::move(object.sub_group);
  task.nominated = object.nominated_node.empty() ? NodeId() : nodes_.mention(object.nominated_node);
  task.task_priority = std::move(object.task_priority);
  task.preemptibility = std::move(object.preemptibility);
  task.container_claim = std::move(object.container_claim);
  task.owner = owners_.mention(task.ns, object.owner);
  task.leads_kubeflow = object.leads_kubeflow;
  task.leads_ray = object.leads_ray;
  task.is_reservation = options_.is_reservation(object.app, task.ns);
  const bool is_utility = task.is_reservation || object.app == options_.scaling_app;
  task.foreign = object.scheduler != options_.scheduler_name && !is_utility;
  task.is_ours = object.scheduler == options_.scheduler_name && !task.is_reservation;
  task.last_queue = std::move(object.last_queue);
  task.stays_terminating = object.stays_terminating;
  task.observed = {.phase = object.phase,
                   .gated = object.gated,
                   .deletion = object.deletion,
                   .node = object.node.empty() ? NodeId() : nodes_.mention(object.node),
                   .holding = intern_shared(object.gpu_groups)};
}

HoldingId Cluster::intern_shared(const std::vector<std::string>& names) {
  std::vector<GroupId> list;
  for (const std::string& name : names) list.push_back(intern_group(name));
  return intern_groups(std::move(list));
}

void Cluster::take(Gone<PodObject> gone) {
  const TaskId id = find_task(gone.ns, gone.name);
  if (!id.valid()) return;
  const JobId job = task(id).group;
  move(id, {.status = TaskStatus::kGone});
  detach(id);
  if (job.valid()) {
    jobs_.unresolved.insert(job);
    jobs_.free_if_unused(job);
  }
  terminating_.erase(id);
  claim_tasks_.erase(id);
  forget_imagined_claims(task(id));
  zone_records_.erase(id);
  named_groups_.erase(id);
  if (task(id).is_workload()) shapes_.count_tasks(task(id).shape, -1);
  jobs_.free(id);
}

void Cluster::observe(TaskId id, const Observed& seen) {
  jobs_.task(id).observed = seen;
  reobserve(id);
}

void Cluster::recreate(TaskId id, std::string uid) {
  ++revision_;
  forget_imagined_claims(task(id));
  jobs_.task(id).uid = std::move(uid);
  jobs_.task(id).container_claim.clear();
  observe(id, {.phase = PodPhase::kPending, .gated = task(id).observed.gated});
}

// A pod counts as stuck as soon as the threshold is exceeded.
std::optional<TimePoint> Cluster::next_stuck() const {
  std::optional<TimePoint> first;
  for (TaskId t : terminating_.items()) {
    const Observed& seen = task(t).observed;
    if (seen.phase != PodPhase::kRunning || !seen.deletion) continue;
    const TimePoint at = *seen.deletion + options_.stuck_threshold + Duration(1);
    if (at > now_ && (!first || at < *first)) first = at;
  }
  return first;
}

void Cluster::reshape(TaskId id, const PodObject& asks) {
  ++revision_;
  const JobId job = task(id).job;
  move(id, {.status = TaskStatus::kGone});
  detach(id);
  const int tasks = task(id).is_workload() ? 1 : 0;
  shapes_.count_tasks(task(id).shape, -tasks);
  jobs_.task(id).shape = shapes_.intern(asks, kinds_);
  shapes_.count_tasks(task(id).shape, +tasks);
  settle_claims(id);
  if (job.valid()) attach(id, job);
  reobserve(id);
}

void Cluster::reobserve(TaskId id) {
  terminating_.set(id, task(id).observed.deletion.has_value());
  claims_stale_ = claims_stale_ || claim_tasks_.contains(id);
  const Placement seen = observed_placement(id);
  for (GroupId group : groups(seen.holding)) groups_.spend(group);
  move(id, seen);
  settle_stray(id);
}

TaskStatus Cluster::observed_status(const Task& task) const {
  const Observed& seen = task.observed;
  switch (seen.phase) {
    case PodPhase::kRunning:
      if (!seen.deletion) return seen.node.valid() ? TaskStatus::kRunning : TaskStatus::kUnknown;
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
  const Observed& seen = task(id).observed;
  Placement at{.status = observed_status(task(id)), .node = seen.node, .holding = seen.holding};
  const BindRequestFacts* request = bind_request_of(task(id));
  const bool unbound_pending = seen.phase == PodPhase::kPending && !seen.node.valid();
  if (unbound_pending && request != nullptr) {
    if (at.status != TaskStatus::kReleasing) at.status = TaskStatus::kBinding;
    if (const NodeId node = find_node(request->node); node.valid()) at.node = node;
    at.holding = intern_shared(request->groups);
  }
  if (!in(at.status, kActiveUsed)) return at.node = {}, at.holding = {}, at;
  at.holding = observed_holding(id, at, request);
  return at;
}

void Cluster::take(BindRequestObject&& object) {
  nodes_.mention(object.node);
  const std::string& pod = object.pod.empty() ? object.meta.name : object.pod;
  BindRequestFacts facts{object.node, object.pod_uid,          object.gpu_groups,        object.failed,
                         {},          std::move(object.zones), std::move(object.volumes)};
  for (ClaimAllocation& c : object.claims)
    facts.claims.emplace_back(std::move(c.claim), devices_.intern(std::move(c.allocation)));
  bind_requests_[key_of(object.meta.ns, pod)] = std::move(facts);
  if (const TaskId t = find_task(object.meta.ns, pod); t.valid()) reobserve(t);
}

void Cluster::take(Gone<BindRequestObject> gone) {
  if (bind_requests_.erase(key_of(gone.ns, gone.name)) == 0) return;
  const TaskId t = find_task(gone.ns, gone.name);
  if (!t.valid()) return;
  if (const auto wanted = named_groups_.extract(t); !wanted.empty()) change_group(t, wanted.mapped());
  reobserve(t);
}

// Moves a pod to the group it names after its bind failed.
void Cluster::change_group(TaskId t, const Membership& wanted) {
  const JobId before = task(t).group;
  move(t, {.status = TaskStatus::kGone});
  detach(t);
  jobs_.task(t).sub_group = wanted.sub_group;
  join_group(t, wanted.group);
  jobs_.free_if_unused(before);
}

}  // namespace muster
