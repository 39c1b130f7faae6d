// Maps names to ids and ranks, and journals the nodes whose sums changed.
#include "model/node_table.hpp"

#include <algorithm>
#include <utility>

namespace muster {

// ---------------------------------------------------------------- objects

NodeId NodeTable::mention(std::string_view name) {
  const auto [found, is_new] = ids_.try_emplace(std::string(name));
  if (!is_new) return found->second;
  const NodeId id = found->second = free_.take(nodes_);
  nodes_[id].name = name;
  is_stale_.resize(nodes_.size());
  foreign_.resize(nodes_.size());
  overdrawn_now_.resize(nodes_.size());
  overdrawn_.resize(nodes_.size());
  ranks_.resize(nodes_.size());
  foreign_[id] = {};
  set_stale(id);
  return id;
}

std::vector<NodeId> NodeTable::keep_only(Marks<NodeId> used) {
  std::vector<NodeId> gone;
  for (const auto& [name, id] : ids_)
    if (nodes_[id].present)
      used.add(id);
    else if (!used.contains(id))
      gone.push_back(id);
  free_.sweep(ids_, nodes_, used);
  return gone;
}

NodeTable::Change NodeTable::apply(NodeId id, NodeObject&& object, bool present, const NodeReading& reading) {
  Node& node = nodes_[id];
  const Node before = node;
  node.present = present;
  read_node(std::move(object), reading, node);
  for (const Amount& a : node.allocatable)
    if (!allocatable_.is_offered(a.kind)) offered_.push_back(a.kind);
  const Change change{.any = before != node,
                      .presence = before.present != present,
                      .gpu_memory = before.gpu_memory != node.gpu_memory,
                      .labels = before.labels != node.labels};
  if (change.presence) list_stale_ = true;
  if (change.presence || change.gpu_memory || before.allocatable != node.allocatable) set_stale(id);
  if (change.any) totals_stale_ = true;
  touch(id);
  return change;
}

bool NodeTable::remove(std::string_view name) {
  const NodeId id = find(name);
  if (!id.valid() || !nodes_[id].present) return false;
  nodes_[id].present = false;
  nodes_[id].allocatable.clear();
  list_stale_ = true;
  set_stale(id);
  return true;
}

void NodeTable::set_claimable_gpus(NodeId id, std::int64_t gpus) {
  if (std::exchange(nodes_[id].claimable_gpus, gpus) != gpus) set_stale(id);
}

NodeId NodeTable::find(std::string_view name) const {
  const auto found = ids_.find(std::string(name));
  return found == ids_.end() ? NodeId() : found->second;
}

bool NodeTable::rank_again() {
  if (!std::exchange(list_stale_, false)) return false;
  by_name_.clear();
  for (NodeId n : ids(nodes_))
    if (nodes_[n].present) by_name_.push_back(n);
  std::sort(by_name_.begin(), by_name_.end(),
            [&](NodeId a, NodeId b) { return nodes_[a].name < nodes_[b].name; });
  for (std::uint32_t i = 0; i < by_name_.size(); ++i) ranks_[by_name_[i]] = i;
  journal_.forget();
  return totals_stale_ = true;
}

// ---------------------------------------------------------------- sums

void NodeTable::add_to(std::vector<SharedGpu>& gpus, NodeId id, GroupId group, std::int64_t memory,
                       TaskStatus as) {
  auto at = std::lower_bound(gpus.begin(), gpus.end(), group,
                             [](const SharedGpu& g, GroupId wanted) { return g.group < wanted; });
  if (at == gpus.end() || at->group != group) at = gpus.insert(at, SharedGpu{.group = group});
  SharedGpu& gpu = *at;
  const std::int64_t idle_before = gpu.idle_effect(), releasing_before = gpu.releasing_effect();
  (as == TaskStatus::kPipelined ? gpu.pipelined : gpu.allocated) += memory;
  if (as == TaskStatus::kReleasing) gpu.releasing += memory;
  shift(kGpu, id, gpu.idle_effect() - idle_before, gpu.releasing_effect() - releasing_before);
  if (gpu.empty()) gpus.erase(at);
}

void NodeTable::size_for(std::size_t kinds) {
  for (auto* table : {&allocatable_, &idle_, &releasing_}) {
    if (!table->has_size(kinds, nodes_.size())) table->resize(kinds, nodes_.size());
    for (Kind k : offered_) table->offer(k);
  }
  offered_.clear();
}

IdVector<NodeId, bool> NodeTable::restart_stale() {
  totals_stale_ = true;
  for (NodeId n : ids(nodes_))
    if (is_stale_[n]) restart(n);
  some_stale_ = false;
  return std::exchange(is_stale_, IdVector<NodeId, bool>(nodes_.size(), false));
}

void NodeTable::restart(NodeId n) {
  nodes_[n].shared.clear();
  nodes_[n].claimed.clear();
  overdrawn_now_[n] = overdrawn_[n] = 0;
  for (Kind k : allocatable_.offered()) allocatable_.cell(k, n) = releasing_.cell(k, n) = 0;
  for (const Amount& a : nodes_[n].allocatable) allocatable_.cell(a.kind, n) = a.units;
  if (nodes_[n].present) allocatable_.cell(kGpu, n) += nodes_[n].claimable_gpus * kOneGpu;
  for (Kind k : allocatable_.offered()) idle_.cell(k, n) = allocatable_.at(k, n);
  touch(n);
}

// ---------------------------------------------------------------- totals

void NodeTable::sum_up(const KindTable& kinds, const std::string* gpu_role) {
  if (!std::exchange(totals_stale_, false)) return;
  total_ = {};
  smallest_gpu_ = largest_gpu_ = 0;
  for (NodeId n : by_name_) {
    note_gpu_memory(n);
    if (!nodes_[n].usable()) continue;
    total_ += offer(n, kinds, gpu_role);
    total_ -= foreign_[n];
  }
}

void NodeTable::note_gpu_memory(NodeId n) {
  const Node& node = nodes_[n];
  if (!node.gpu_memory_known || node.gpu_memory <= 100 || allocatable_.at(kGpu, n) <= 0) return;
  smallest_gpu_ = smallest_gpu_ == 0 ? node.gpu_memory : std::min(smallest_gpu_, node.gpu_memory);
  largest_gpu_ = std::max(largest_gpu_, node.gpu_memory);
}

Charge NodeTable::offer(NodeId n, const KindTable& kinds, const std::string* gpu_role) const {
  Charge offered{{allocatable_.at(kCpu, n), std::min(allocatable_.at(kMemory, n), kMostUnits), 0}};
  if (gpu_role != nullptr && nodes_[n].label(*gpu_role) == nullptr) return offered;
  std::int64_t& gpus = offered.units[index(Accounted::kGpus)];
  gpus = allocatable_.at(kGpu, n);
  for (const Amount& a : nodes_[n].allocatable) gpus += mig_gpus(kinds.name(a.kind)) * a.units * kOneGpu;
  return offered;
}

}  // namespace muster
