// Updates derived state: the queue tree, node capacities and order, priorities, preemptibility and totals.
#include <algorithm>

#include "model/cluster.hpp"

namespace muster {
namespace {

constexpr std::int32_t kDefaultPriority = 50;
constexpr std::int32_t kFirstNonPreemptible = 100;

}  // namespace

void Cluster::refresh(TimePoint now) {
  now_ = now;
  for (TaskId t : terminating_.items())
    if (const Placement seen = observed_placement(t); seen.status != placement(t).status) move(t, seen);
  refresh_devices();
  refresh_nodes();
  refresh_queues();
  refresh_jobs();
  sweep_if_due();
  sum_up_nodes();
}

// ---------------------------------------------------------------- nodes

void Cluster::refresh_nodes() {
  nodes_.size_for(kinds_.size());
  if (nodes_.rank_again()) topologies_stale_ = true;
  if (std::exchange(topologies_stale_, false)) build_topologies();
  if (nodes_.some_stale()) recount_stale_nodes();
}

void Cluster::build_topologies() {
  topology_trees_.clear();
  for (const auto& [name, topology] : kept_.all<TopologyObject>())
    topology_trees_.try_emplace(name, topology, nodes(), nodes_by_name());
}

void Cluster::sum_up_nodes() {
  nodes_.sum_up(kinds_, options_.restrict_node_scheduling ? &options_.gpu_worker_label : nullptr);
}

// Recounts all nodes whose capacity changed in one pass over the tasks.
void Cluster::recount_stale_nodes() {
  const IdVector<NodeId, bool> stale = nodes_.restart_stale();
  for (TaskId t : ids(tasks())) {
    const Placement& at = placement(t);
    if (!at.node.valid() || !in(at.status, kActiveUsed)) continue;
    const bool is_reservation = task(t).is_reservation;
    const Shape& shape = shape_of(t);
    if (stale[at.node]) account_node(shape, is_reservation, at.node, at.status, at.holding, +1);
    if (at.source.valid() && stale[at.source])
      account_node(shape, is_reservation, at.source, TaskStatus::kReleasing, at.source_holding, +1);
    if (at.via.valid() && stale[at.via])
      account_node(shape, is_reservation, at.via, TaskStatus::kReleasing, at.via_holding, +1);
  }
}

// ---------------------------------------------------------------- queues

void Cluster::refresh_queues() {
  if (!queues_.is_stale()) return;
  queues_.build(!options_.full_hierarchy, warnings_);
  for (JobId j : ids(jobs())) settle_queue(j);
  recount_queues();
}

void Cluster::recount_queues() {
  queues_.clear_uses();
  for (JobId j : ids(jobs())) jobs_.job(j).core = {};
  for (TaskId t : ids(tasks()))
    if (task(t).in_job()) account_queue(task(t), placement(t), +1);
  for (JobId j : ids(jobs())) settle_core(j);
}

// ---------------------------------------------------------------- jobs

std::int32_t Cluster::class_value(const std::string& name) const {
  if (const auto* found = kept_.find<PriorityClassObject>(name)) return found->value;
  for (const auto& [other, object] : kept_.all<PriorityClassObject>())
    if (object.global_default) return object.value;
  return kDefaultPriority;
}

void Cluster::refresh_jobs() {
  if (std::exchange(classes_stale_, false))
    for (JobId j : ids(jobs())) jobs_.unresolved.insert(j);
  for (JobId j : jobs_.unresolved.items()) resolve(j);
  jobs_.unresolved.clear();
  judge_held_back();
}

// Resolves the job's priority, then its preemptibility.
void Cluster::resolve(JobId id) {
  Job& job = jobs_.job(id);
  job.priority = class_value(job.priority_class);
  const auto [mode, source] = preemptibility_of(job);
  job.preemptibility_source = source;
  job.asked = mode;
  jobs_.held_back.set(id, !is_free_to_become(job, mode));
  if (!jobs_.held_back.contains(id)) return become(id, mode);
  const bool has_moved = job.granted_in != queues_[job.queue].name;
  become(id, has_moved ? Preemptibility::kPreemptible : *job.granted);
}

// The sources are tried in the order that preemptibility.md gives.
std::pair<Preemptibility, PreemptibilitySource> Cluster::preemptibility_of(const Job& job) const {
  if (const auto spec = parse_preemptibility(job.preemptibility_spec))
    return {*spec, PreemptibilitySource::kSpec};
  std::vector<TaskId> members;
  if (options_.compatibility.labels_decide_preemptibility)
    for (const PodSet& p : job.pod_sets) members.insert(members.end(), p.tasks.begin(), p.tasks.end());
  std::sort(members.begin(), members.end(), [&](TaskId a, TaskId b) {
    return std::pair(task(a).created, std::string_view(task(a).name)) <
           std::pair(task(b).created, std::string_view(task(b).name));
  });
  for (TaskId t : members)
    if (const auto owner = owners_.preemptibility(task(t).owner))
      return {*owner, PreemptibilitySource::kOwnerLabel};
  for (TaskId t : members)
    if (const auto pod = parse_preemptibility(task(t).preemptibility))
      return {*pod, PreemptibilitySource::kPodLabel};
  return {
      job.priority < kFirstNonPreemptible ? Preemptibility::kPreemptible : Preemptibility::kNonPreemptible,
      PreemptibilitySource::kPriority};
}

}  // namespace muster
