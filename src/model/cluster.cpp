// Changes placements and keeps the sums over them up to date.
#include "model/cluster.hpp"

#include <absl/hash/hash.h>

#include <algorithm>

namespace muster {

std::string_view name_of(TaskStatus status) {
  constexpr std::array<std::string_view, kTaskStatuses> names{
      "Pending",          "Gated",     "Allocated", "Pipelined", "Binding", "Bound", "Running", "Releasing",
      "StuckInReleasing", "Succeeded", "Failed",    "Unknown",   "Gone"};
  return names[static_cast<std::size_t>(status)];
}

namespace {

std::uint64_t both(std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} << 32 | b; }

// Called twice for every move, so it hashes only a few words.
std::uint64_t hash_of(TaskId task, const Placement& at) {
  const auto how = static_cast<std::uint32_t>(at.status) << 2 |
                   static_cast<std::uint32_t>(at.virtually_evicted) << 1 |
                   static_cast<std::uint32_t>(at.was_only_pipelined);
  const std::uint64_t here = absl::HashOf(both(task.index(), at.node.index()), both(at.holding.index(), how));
  if (!at.source.valid() && !at.via.valid()) return here;
  return absl::HashOf(here, both(at.source.index(), at.source_holding.index()),
                      both(at.via.index(), at.via_holding.index()));
}

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
  if (const Task& moved = task(t); moved.in_job()) settle_core({moved.job, moved.pod_set}, t, from, to);
}

void Cluster::account(TaskId t, const Placement& at, int sign) {
  const Task& moved = task(t);
  if (at.node.valid() && in(at.status, kActiveUsed)) {
    const Shape& shape = shapes_[moved.shape];
    account_node(shape, moved.is_reservation, at.node, at.status, at.holding, sign);
    if (at.source.valid())
      account_node(shape, moved.is_reservation, at.source, TaskStatus::kReleasing, at.source_holding, sign);
    if (at.via.valid())
      account_node(shape, moved.is_reservation, at.via, TaskStatus::kReleasing, at.via_holding, sign);
    if (moved.foreign) nodes_.add_foreign(at.node, shape.charge, sign);
  }
  account_claims(moved, at, sign);
  if (!moved.in_job()) return;
  account_queue(moved, at, sign);
  count(moved, at.status, sign);
}

void Cluster::count(const Task& task, TaskStatus status, int sign) {
  jobs_.count(task, status, sign);
  if (!in(status, kAllocatedSet)) return;
  Charge& held = jobs_.job(task.job).held;
  if (sign > 0)
    held += shapes_[task.shape].charge;
  else
    held -= shapes_[task.shape].charge;
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
        std::min(nodes_[node].hundredths_of(shape.gpu) * shape.gpu.devices * (kOneGpu / 100), kMostUnits);
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
