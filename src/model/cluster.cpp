// Placements and the sums over them.
#include "model/cluster.hpp"

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

const std::string* Node::label(std::string_view key) const {
  const auto at = std::lower_bound(labels.begin(), labels.end(), key,
                                   [](const auto& pair, std::string_view k) { return pair.first < k; });
  return at != labels.end() && at->first == key ? &at->second : nullptr;
}

Cluster::Cluster(ClusterOptions options) : options_(std::move(options)) {}

// ---------------------------------------------------------------- moving

const Holding Cluster::kHoldsNothing;

void Cluster::move(TaskId t, const Placement& to) {
  account(t, placements_[t], -1);
  placements_[t] = to;
  account(t, to, +1);
  if (tasks_[t].in_job()) settle_core(tasks_[t].job);
}

void Cluster::account(TaskId t, const Placement& at, int sign) {
  const Task& task = tasks_[t];
  if (at.node.valid() && in(at.status, kActiveUsed)) {
    const Shape& shape = shapes_[task.shape];
    account_node(shape, task.is_reservation, at.node, at.status, at.groups, sign);
    if (at.leaving.valid())
      account_node(shape, task.is_reservation, at.leaving, TaskStatus::kReleasing, at.leaving_groups, sign);
    if (at.passing.valid())
      account_node(shape, task.is_reservation, at.passing, TaskStatus::kReleasing, at.passing_groups, sign);
    if (task.foreign) {
      for (std::size_t i = 0; i < 3; ++i) foreign_[at.node].units[i] += sign * shape.charge.units[i];
    }
  }
  account_claims(task, at, sign);
  if (!task.in_job()) return;
  account_queue(task, at, sign);
  account_counts(task, at.status, sign);
}

void Cluster::account_node(const Shape& shape, bool is_reservation, NodeId node, TaskStatus as,
                           GroupListId list, int sign) {
  if (node_stale_[node]) return;
  const std::int64_t counted = shape.claimed_gpus > 0 ? account_claimed(shape, node, as, list, sign) : 0;
  for (const Amount& a : shape.request) {
    if (a.kind.index() >= allocatable_.kinds() || allocatable_.at(a.kind, node) == 0) continue;
    if (is_reservation && a.kind == kGpu) continue;
    const std::int64_t units = sign * (a.kind == kGpu ? a.units - counted * kOneGpu : a.units);
    if (as == TaskStatus::kPipelined)
      shift(a.kind, node, 0, -units);
    else
      shift(a.kind, node, -units, as == TaskStatus::kReleasing ? units : 0);
  }
  if (shape.is_shared())
    for (GroupId group : groups(list))
      account_shared(nodes_[node].shared, node, group, nodes_[node].memory_of(shape.gpu), as, sign);
  touch(node);
}

void Cluster::shift(Kind kind, NodeId node, std::int64_t idle_change, std::int64_t releasing_change) {
  std::int64_t &idle = idle_.at(kind, node), &releasing = releasing_.at(kind, node);
  const int now_before = idle < 0, before = idle + releasing < 0;
  idle += idle_change;
  releasing += releasing_change;
  overdrawn_now_[node] = static_cast<std::int16_t>(overdrawn_now_[node] + (idle < 0) - now_before);
  overdrawn_[node] = static_cast<std::int16_t>(overdrawn_[node] + (idle + releasing < 0) - before);
}

void Cluster::account_shared(std::vector<SharedGpu>& devices, NodeId id, GroupId group, std::int64_t memory,
                             TaskStatus as, int sign) {
  auto at = std::lower_bound(devices.begin(), devices.end(), group,
                             [](const SharedGpu& g, GroupId wanted) { return g.group < wanted; });
  if (at == devices.end() || at->group != group) at = devices.insert(at, SharedGpu{.group = group});
  SharedGpu& gpu = *at;
  const std::int64_t idle_before = gpu.idle_effect(), releasing_before = gpu.releasing_effect();
  (as == TaskStatus::kPipelined ? gpu.pipelined : gpu.allocated) += sign * memory;
  if (as == TaskStatus::kReleasing) gpu.releasing += sign * memory;
  shift(kGpu, id, gpu.idle_effect() - idle_before, gpu.releasing_effect() - releasing_before);
  if (gpu.empty()) devices.erase(at);
}

Charge Cluster::accepted(const Shape& shape, NodeId node) const {
  Charge charge = shape.charge;
  if (shape.gpu.type == GpuRequestType::kGpuMemory)
    charge.units[index(Accounted::kGpus)] +=
        nodes_[node].hundredths_of(shape.gpu) * shape.gpu.devices * (kOneGpu / 100);
  return charge;
}

void Cluster::account_queue(const Task& task, const Placement& at, int sign) {
  const Job& job = jobs_[task.job];
  if (queues_stale_ || !job.queue.valid() || !queues_[job.queue].usable) return;
  const Shape& shape = shapes_[task.shape];
  const bool holds = in(at.status, kActiveAllocated) && at.node.valid() && nodes_[at.node].present;
  const bool waits = at.status == TaskStatus::kPending;
  if (!holds && !waits) return;
  Charge charge = holds ? accepted(shape, at.node) : shape.charge;
  for (auto& units : charge.units) units *= sign;
  for (QueueId q = job.queue; q.valid(); q = queues_[q].parent) {
    QueueUse& use = uses_[q];
    if (waits) {
      use.pending += charge;
      use.pending_gpu_memory += sign * shape.gpu_memory;
      continue;
    }
    use.allocated += charge;
    if (job.preemptibility == Preemptibility::kNonPreemptible) use.non_preemptible += charge;
  }
}

void Cluster::settle_core(JobId id) {
  Job& job = jobs_[id];
  const bool counts =
      job.is_semi_preemptible() && !queues_stale_ && job.queue.valid() && queues_[job.queue].usable;
  const Charge core = counts ? core_of(job, Member{.is_pod_set = false, .at = 0}) : Charge{};
  if (core == job.core) return;
  for (QueueId q = job.queue; q.valid(); q = queues_[q].parent) {
    uses_[q].non_preemptible -= job.core;
    uses_[q].non_preemptible += core;
  }
  job.core = core;
}

namespace {

// The order of facts that never change: role, task priority, creation, uid.
bool ranks_before(const Task& a, const Task& b) {
  const auto rank = [](const Task& t) {
    std::int64_t priority = 0;
    const bool has_priority =
        t.task_priority && !t.task_priority->empty() &&
        std::from_chars(t.task_priority->data(), t.task_priority->data() + t.task_priority->size(), priority)
                .ec == std::errc();
    return std::tuple(!t.leads_kubeflow, !t.leads_ray, !has_priority, -priority, t.created,
                      std::string_view(t.uid));
  };
  return rank(a) < rank(b);
}

}  // namespace

// The minimum shape, filled from the active tasks.
Charge Cluster::core_of(const Job& job, const Member& member) const {
  Charge sum;
  if (member.is_pod_set) {
    std::vector<TaskId> active;
    for (TaskId t : job.pod_sets[member.at].tasks)
      if (in(placements_[t].status, kActiveAllocated) && placements_[t].node.valid()) active.push_back(t);
    std::sort(active.begin(), active.end(),
              [&](TaskId a, TaskId b) { return ranks_before(tasks_[a], tasks_[b]); });
    const auto minimum = static_cast<std::size_t>(std::max(0, job.pod_sets[member.at].minimum));
    for (std::size_t i = 0; i < active.size() && i < minimum; ++i)
      if (nodes_[placements_[active[i]].node].present)
        sum += accepted(shapes_[tasks_[active[i]].shape], placements_[active[i]].node);
    return sum;
  }
  const GroupSet& set = job.sets[member.at];
  std::vector<Member> members = set.members;
  const auto key = [&](const Member& m) {
    return std::pair(!is_satisfied(job, m), m.is_pod_set ? job.pod_sets[m.at].name : job.sets[m.at].name);
  };
  std::sort(members.begin(), members.end(),
            [&](const Member& a, const Member& b) { return key(a) < key(b); });
  for (std::size_t i = 0; i < members.size() && static_cast<std::int32_t>(i) < set.required(); ++i)
    sum += core_of(job, members[i]);
  return sum;
}

void Cluster::account_counts(const Task& task, TaskStatus status, int sign) {
  Job& job = jobs_[task.job];
  job.counts.add(status, sign);
  job.pod_sets[task.pod_set].counts.add(status, sign);
  ++job.version;
  classify(task.job);
}

void Cluster::classify(JobId id) {
  const Job& job = jobs_[id];
  pending_jobs_.set(id, job.present && job.has_pending());
  const bool broken = job.counts.of(TaskStatus::kSucceeded) == 0 && job.counts.in(kActiveUsed) > 0 &&
                      !is_flatly_satisfied(job, kActiveUsed);
  broken_gangs_.set(id, job.present && broken);
}

void Cluster::mark_stale(JobId id, std::optional<TimePoint> since) {
  jobs_[id].stale_since = since;
  stale_marked_.set(id, since.has_value());
}

void Cluster::touch(NodeId node) {
  constexpr std::size_t kLongest = 1 << 20;
  if (journal_.size() >= kLongest) {
    journal_base_ += journal_.size();
    journal_.clear();
  }
  journal_.push_back(node);
}

// ---------------------------------------------------------------- shared GPUs, and what else is held

GroupId Cluster::fresh_group(NodeId id, std::span<const GroupId> taken) {
  const Node& node = nodes_[id];
  for (std::uint32_t number = 0;; ++number) {
    const GroupId group = groups_.fresh(id, node.name, number);
    const bool is_in_use = std::any_of(node.shared.begin(), node.shared.end(),
                                       [&](const SharedGpu& gpu) { return gpu.group == group; });
    if (!is_in_use && std::find(taken.begin(), taken.end(), group) == taken.end()) return group;
  }
}

GroupListId Cluster::intern(Holding holding) {
  if (holding.empty()) return {};
  const auto [found, is_new] = holding_ids_.try_emplace(holding, holdings_.end_id());
  if (is_new) holdings_.push_back(std::move(holding));
  return found->second;
}

// ---------------------------------------------------------------- reading

namespace {
template <class Map>
auto find_in(const Map& map, const std::string& key) {
  const auto found = map.find(key);
  return found == map.end() ? typename Map::mapped_type() : found->second;
}
}  // namespace

TaskId Cluster::find_task(std::string_view ns, std::string_view name) const {
  return find_in(task_ids_, key_of(ns, name));
}
JobId Cluster::find_job(std::string_view ns, std::string_view name) const {
  return find_in(job_ids_, key_of(ns, name));
}
QueueId Cluster::find_queue(std::string_view name) const { return find_in(queue_ids_, std::string(name)); }
NodeId Cluster::find_node(std::string_view name) const { return find_in(node_ids_, std::string(name)); }
bool Cluster::has_config_map(std::string_view ns, std::string_view name) const {
  return config_maps_.contains(key_of(ns, name));
}
const TopologyTree* Cluster::topology(std::string_view name) const {
  const auto found = topology_trees_.find(std::string(name));
  return found == topology_trees_.end() ? nullptr : &found->second;
}

}  // namespace muster
