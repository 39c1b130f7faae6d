// Placements and the sums over them.
#include "model/cluster.hpp"

#include <absl/hash/hash.h>

#include <algorithm>
#include <charconv>
#include <tuple>

namespace muster {

std::string_view name_of(TaskStatus status) {
  constexpr std::array<std::string_view, kTaskStatuses> names{
      "Pending",          "Gated",     "Allocated", "Pipelined", "Binding", "Bound", "Running", "Releasing",
      "StuckInReleasing", "Succeeded", "Failed",    "Unknown",   "Gone"};
  return names[static_cast<std::size_t>(status)];
}

namespace {

std::uint64_t hash_of(TaskId task, const Placement& at) {
  return absl::HashOf(task, at.status, at.virtually_evicted, at.never_stood, at.node, at.holding, at.leaving,
                      at.leaving_holding, at.passing, at.passing_holding);
}

bool holds_place(const Placement& at) { return in(at.status, kActiveAllocated); }

}  // namespace

Cluster::Cluster(ClusterOptions options) : options_(std::move(options)) {
  jobs_.finished_pods_count = options_.compatibility.finished_pods_count;
}

// ---------------------------------------------------------------- moving

void Cluster::move(TaskId t, const Placement& to) {
  const Placement from = placement(t);
  account(t, from, -1);
  placements_hash_ ^= hash_of(t, from) ^ hash_of(t, to);
  jobs_.placement(t) = to;
  account(t, to, +1);
  if (!task(t).in_job()) return;
  const bool some_finished = jobs_.job(task(t).job).counts.of(TaskStatus::kSucceeded) > 0;
  if (holds_place(from) || holds_place(to) || some_finished) settle_core(task(t).job);
}

void Cluster::account(TaskId t, const Placement& at, int sign) {
  const Task& moved = task(t);
  if (at.node.valid() && in(at.status, kActiveUsed)) {
    const Shape& shape = shapes_[moved.shape];
    account_node(shape, moved.is_reservation, at.node, at.status, at.holding, sign);
    if (at.leaving.valid())
      account_node(shape, moved.is_reservation, at.leaving, TaskStatus::kReleasing, at.leaving_holding, sign);
    if (at.passing.valid())
      account_node(shape, moved.is_reservation, at.passing, TaskStatus::kReleasing, at.passing_holding, sign);
    if (moved.foreign) nodes_.add_foreign(at.node, shape.charge, sign);
  }
  account_claims(moved, at, sign);
  if (!moved.in_job()) return;
  account_queue(moved, at, sign);
  jobs_.count(moved, at.status, sign);
}

void Cluster::account_node(const Shape& shape, bool is_reservation, NodeId node, TaskStatus as,
                           HoldingId held, int sign) {
  if (nodes_.is_stale(node)) return;
  const std::int64_t counted = shape.claimed_gpus > 0 ? account_claimed(shape, node, as, held, sign) : 0;
  for (const Amount& a : shape.request) {
    if (is_reservation && a.kind == kGpu) continue;
    nodes_.add(node, a.kind, sign * (a.kind == kGpu ? a.units - counted * kOneGpu : a.units), as);
  }
  if (shape.is_shared())
    for (GroupId group : groups(held))
      nodes_.add_share(node, group, sign * nodes_[node].memory_of(shape.gpu), as);
  nodes_.touch(node);
}

Charge Cluster::accepted(const Shape& shape, NodeId node) const {
  Charge charge = shape.charge;
  if (shape.gpu.type == GpuRequestType::kGpuMemory)
    charge.units[index(Accounted::kGpus)] +=
        nodes_[node].hundredths_of(shape.gpu) * shape.gpu.devices * (kOneGpu / 100);
  return charge;
}

void Cluster::account_queue(const Task& task, const Placement& at, int sign) {
  const Job& job = jobs_.job(task.job);
  if (!queues_.counts(job.queue)) return;
  const Shape& shape = shapes_[task.shape];
  const bool holds = in(at.status, kActiveAllocated) && at.node.valid() && nodes_[at.node].present;
  const bool waits = at.status == TaskStatus::kPending &&
                     (job.is_in_named_queue || !options_.compatibility.charge_until_gone);
  if (!holds && !waits) return;
  Charge charge = holds ? accepted(shape, at.node) : shape.charge;
  for (auto& units : charge.units) units *= sign;
  if (waits)
    return queues_.change_up(job.queue, [&](QueueUse& use) {
      use.pending += charge;
      use.pending_gpu_memory += sign * shape.gpu_memory;
    });
  queues_.change_up(job.queue, [&](QueueUse& use) {
    use.allocated += charge;
    if (job.preemptibility == Preemptibility::kNonPreemptible) use.non_preemptible += charge;
  });
}

void Cluster::settle_core(JobId id) {
  Job& job = jobs_.job(id);
  const bool counts = job.is_semi_preemptible() && queues_.counts(job.queue);
  const Charge core = counts ? core_of(job, kRoot) : Charge{};
  if (core == job.core) return;
  queues_.change_up(job.queue, [&](QueueUse& use) {
    use.non_preemptible -= job.core;
    use.non_preemptible += core;
  });
  job.core = core;
}

void Cluster::drop_core(Job& job) {
  if (job.queue.valid())
    queues_.change_up(job.queue, [&](QueueUse& use) { use.non_preemptible -= job.core; });
  job.core = {};
}

namespace {

// The order of facts that never change: role, task priority, creation, uid.
auto rank_of(const Task& t) {
  std::int64_t priority = 0;
  const bool has_priority =
      t.task_priority && !t.task_priority->empty() &&
      std::from_chars(t.task_priority->data(), t.task_priority->data() + t.task_priority->size(), priority)
              .ec == std::errc();
  return std::tuple(!t.leads_kubeflow, !t.leads_ray, !has_priority, -priority, t.created,
                    std::string_view(t.uid));
}

// So many, those with the smallest keys, in any order.
template <class T, class Key>
void keep_first(std::vector<T>& all, std::int32_t count, Key key) {
  const std::ptrdiff_t kept = std::max(0, count);
  if (kept >= std::ssize(all)) return;
  std::vector<std::pair<decltype(key(all.front())), T>> keyed;
  for (const T& t : all) keyed.emplace_back(key(t), t);
  std::nth_element(keyed.begin(), keyed.begin() + kept, keyed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  all.clear();
  for (std::ptrdiff_t i = 0; i < kept; ++i) all.push_back(keyed[static_cast<std::size_t>(i)].second);
}

}  // namespace

// The minimum shape, filled from the active tasks.
Charge Cluster::core_of(const Job& job, const Member& member) const {
  Charge sum;
  if (member.is_pod_set) {
    std::vector<TaskId> active;
    for (TaskId t : job.pod_sets[member.at].tasks)
      if (in(placement(t).status, kActiveAllocated) && placement(t).node.valid()) active.push_back(t);
    keep_first(active, job.pod_sets[member.at].minimum, [&](TaskId t) { return rank_of(task(t)); });
    for (TaskId t : active)
      if (const NodeId at = placement(t).node; nodes_[at].present) sum += accepted(shape_of(t), at);
    return sum;
  }
  const GroupSet& set = job.sets[member.at];
  std::vector<Member> members = set.members;
  keep_first(members, set.required(), [&](const Member& m) {
    return std::pair(!is_satisfied(job, m),
                     std::string_view(m.is_pod_set ? job.pod_sets[m.at].name : job.sets[m.at].name));
  });
  for (const Member& m : members) sum += core_of(job, m);
  return sum;
}

// ---------------------------------------------------------------- shared GPUs

GroupId Cluster::fresh_group(NodeId id, std::span<const GroupId> taken) {
  const Node& node = nodes_[id];
  for (std::uint32_t number = 0;; ++number) {
    const GroupId group = groups_.fresh(id, node.name, number);
    const bool is_in_use = std::any_of(node.shared.begin(), node.shared.end(),
                                       [&](const SharedGpu& gpu) { return gpu.group == group; });
    if (!is_in_use && std::find(taken.begin(), taken.end(), group) == taken.end()) return group;
  }
}

// ---------------------------------------------------------------- reading

bool Cluster::has_config_map(std::string_view ns, std::string_view name) const {
  return config_maps_.contains(key_of(ns, name));
}
const TopologyTree* Cluster::topology(std::string_view name) const {
  const auto found = topology_trees_.find(std::string(name));
  return found == topology_trees_.end() ? nullptr : &found->second;
}

}  // namespace muster
