// Finds the queue that running pods are charged to, even after their group, labels or queue changed, and
// decides which jobs may become non-preemptible while they run. tenants.md 2.
#include <algorithm>

#include "model/cluster.hpp"

namespace muster {
namespace {

// A name that no PodGroup can have.
std::string name_of_job_of(const Task& task) { return "pod/" + task.name; }

// How much of a job is protected from eviction.
int strength(Preemptibility mode) {
  switch (mode) {
    case Preemptibility::kPreemptible:
      return 0;
    case Preemptibility::kSemiPreemptible:
      return 1;
    case Preemptibility::kNonPreemptible:
      break;
  }
  return 2;
}

bool is_its_own(const Job& job, const Queue& queue) {
  return queue.name == job.queue_name && queue.admits(job.ns);
}

}  // namespace

// ---------------------------------------------------------------- pods without a pod set

bool Cluster::counts_alone(TaskId t) const {
  const Task& pod = task(t);
  const bool is_member = pod.group.valid() && pod.in_job() && !jobs_.job(pod.job).is_of_one_pod;
  return options_.compatibility.charge_until_gone && pod.is_ours && !is_member &&
         in(placement(t).status, kActiveUsed);
}

void Cluster::settle_stray(TaskId t) {
  const JobId job = task(t).job;
  const bool stands_alone = job.valid() && jobs_.job(job).is_of_one_pod;
  if (counts_alone(t) == stands_alone) return;
  if (stands_alone)
    stop_standing_alone(t);
  else
    stand_alone(t);
}

void Cluster::stand_alone(TaskId t) {
  const Task& pod = task(t);
  const JobId id = jobs_.mention_job(pod.ns, name_of_job_of(pod));
  Job& job = jobs_.job(id);
  job.is_of_one_pod = true;
  job.uid = pod.uid;
  job.created = pod.created;
  if (pod.group.valid() && jobs_.job(pod.group).queue != queues_.no_queue())
    job.last_queue = queues_[jobs_.job(pod.group).queue].name;
  jobs_.join_alone(t, id);
  settle_queue(id);
  count(task(t), placement(t).status, +1);
  jobs_.unresolved.insert(id);
}

void Cluster::stop_standing_alone(TaskId t) {
  const JobId id = task(t).job;
  account_queue(task(t), placement(t), -1);
  count(task(t), placement(t).status, -1);
  jobs_.leave_alone(t);
  jobs_.free_if_unused(id);
}

// ---------------------------------------------------------------- the queue of a job

bool Cluster::takes_jobs(QueueId queue) const {
  return queue.valid() && queue != queues_.no_queue() && queues_[queue].usable && queues_[queue].is_leaf();
}

QueueId Cluster::named_queue(const Job& job) const { return queues_.find(job.queue_name); }

bool Cluster::has_a_place(const Task& task) const {
  return task.observed.node.valid() || bind_request_of(task) != nullptr;
}

// The queue that the pod is charged to, or "". Prefers the queue that this scheduler charged to one that a
// tenant could have written.
std::string Cluster::queue_charged_for(const Task& task) const {
  if (!task.job.valid() || !has_a_place(task)) return "";
  const QueueId queue = jobs_.job(task.job).queue;
  return queue.valid() && queue != queues_.no_queue() ? queues_[queue].name : "";
}

// The queue that the job's pods were charged to when they were bound. If the group has no object, a queue
// that a pod names counts as well. The oldest pod decides.
QueueId Cluster::queue_of_members(JobId id) const {
  std::vector<TaskId> members = jobs_.members(id);
  std::sort(members.begin(), members.end(), [&](TaskId a, TaskId b) {
    return std::tie(task(a).created, task(a).name) < std::tie(task(b).created, task(b).name);
  });
  const bool has_group = jobs_.job(id).present;
  for (TaskId t : members) {
    if (has_group && !has_a_place(task(t))) continue;
    if (const QueueId last = queues_.find(task(t).last_queue); takes_jobs(last)) return last;
    if (has_group) continue;
    const std::string* label = find_label(labels_of(t), options_.queue_label);
    const QueueId named = label == nullptr ? QueueId() : queues_.find(*label);
    if (takes_jobs(named) && queues_[named].admits(task(t).ns)) return named;
  }
  return {};
}

QueueId Cluster::queue_to_charge(JobId id) const {
  const Job& job = jobs_.job(id);
  const QueueId named = named_queue(job);
  if (takes_jobs(named) && queues_[named].admits(job.ns)) return named;
  if (options_.compatibility.charge_until_gone) {
    if (const QueueId last = queues_.find(job.last_queue); takes_jobs(last)) return last;
    if (const QueueId queue = queue_of_members(id); queue.valid()) return queue;
  }
  const bool is_parent = named.valid() && queues_[named].usable && !queues_[named].is_leaf();
  return is_parent ? named : queues_.no_queue();
}

void Cluster::settle_queue(JobId id) {
  const Job& job = jobs_.job(id);
  const QueueId queue = queue_to_charge(id);
  const bool is_named = takes_jobs(queue) && is_its_own(job, queues_[queue]);
  if (job.queue != queue || job.is_in_named_queue != is_named) charge_to(id, queue);
  if (is_named) jobs_.job(id).last_queue = job.queue_name;
}

void Cluster::charge_to(JobId id, QueueId queue) {
  Job& job = jobs_.job(id);
  const auto each_task = [&](int sign) {
    for (const PodSet& p : job.pod_sets)
      for (TaskId t : p.tasks) account_queue(task(t), placement(t), sign);
  };
  if (job.queue.valid()) each_task(-1);
  drop_core(job);
  job.queue = queue;
  job.is_in_named_queue = takes_jobs(queue) && is_its_own(job, queues_[queue]);
  each_task(+1);
  settle_core(id);
  jobs_.unresolved.insert(id);
}

bool Cluster::is_within_reach(JobId id) const {
  const Job& job = jobs_.job(id);
  if (!options_.compatibility.charge_until_gone) return job.present && takes_jobs(job.queue);
  const bool is_charged = takes_jobs(job.queue) || (job.queue == queues_.no_queue() && job.in_partition);
  if (!is_charged || job.present) return is_charged;
  const auto stands_elsewhere = [&](TaskId t) {
    const Placement& at = placement(t);
    return in(at.status, kActiveUsed) && (!at.node.valid() || !nodes_[at.node].present);
  };
  return std::ranges::none_of(
      job.pod_sets, [&](const PodSet& p) { return std::ranges::any_of(p.tasks, stands_elsewhere); });
}

// ---------------------------------------------------------------- jobs that become non-preemptible

// The part of the job that counts as non-preemptible use in this mode.
Charge Cluster::protected_part(const Job& job, Preemptibility mode) const {
  if (mode == Preemptibility::kPreemptible) return {};
  if (mode == Preemptibility::kSemiPreemptible) return core_of(job, kRoot);
  Charge sum;
  for (const PodSet& p : job.pod_sets)
    for (TaskId t : p.tasks)
      if (const Placement& at = placement(t);
          in(at.status, kActiveAllocated) && at.node.valid() && nodes_[at.node].present)
        sum += accepted(shape_of(t), at.node);
  return sum;
}

bool Cluster::quota_holds(const Job& job, Preemptibility mode) const {
  if (job.queue == queues_.no_queue()) return false;
  const Charge now = protected_part(job, job.preemptibility), wanted = protected_part(job, mode);
  for (QueueId q = job.queue; q.valid(); q = queues_[q].parent) {
    Charge held = queues_.use(q).non_preemptible;
    held -= now;
    held += wanted;
    for (Accounted r : kAccounted)
      if (const double quota = queues_[q].of(r).quota;
          quota >= 0 && wanted.units[index(r)] > now.units[index(r)] && held.share(r) > quota)
        return false;
  }
  return true;
}

// A job without resources is checked when it is placed. A job that asks for no more protection than it had
// before, in the same queue, keeps it.
bool Cluster::is_free_to_become(const Job& job, Preemptibility mode) const {
  if (!options_.compatibility.quota_bounds_changes || strength(mode) == 0) return true;
  if (job.counts.active_allocated() == 0 || !job.granted) return true;
  return strength(mode) <= strength(*job.granted) && job.granted_in == queues_[job.queue].name;
}

void Cluster::forget_past(JobId id) {
  Job& job = jobs_.job(id);
  job.granted = parse_preemptibility(job.told_preemptibility);
  job.last_queue = job.granted_in = job.told_queue;
  settle_queue(id);
  jobs_.unresolved.insert(id);
}

void Cluster::judge_held_back() {
  std::vector<JobId> jobs(jobs_.held_back.items().begin(), jobs_.held_back.items().end());
  std::sort(jobs.begin(), jobs.end(), [&](JobId a, JobId b) {
    const Job &x = jobs_.job(a), &y = jobs_.job(b);
    return std::tuple(-x.priority, x.created, std::string_view(x.uid)) <
           std::tuple(-y.priority, y.created, std::string_view(y.uid));
  });
  for (JobId j : jobs) {
    const Job& job = jobs_.job(j);
    if (!is_free_to_become(job, job.asked) && !quota_holds(job, job.asked)) continue;
    become(j, job.asked);
    jobs_.held_back.erase(j);
  }
}

void Cluster::become(JobId id, Preemptibility mode) {
  Job& job = jobs_.job(id);
  job.granted = mode;
  job.granted_in = queues_[job.queue].name;
  if (mode == job.preemptibility) return;
  const auto each_task = [&](int sign) {
    for (const PodSet& p : job.pod_sets)
      for (TaskId t : p.tasks) account_queue(task(t), placement(t), sign);
  };
  each_task(-1);
  job.preemptibility = mode;
  settle_core(id);
  each_task(+1);
}

}  // namespace muster
