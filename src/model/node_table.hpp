// The nodes: lookup by name, capacities, and the amounts that tasks leave free.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/free_ids.hpp"
#include "model/node.hpp"
#include "model/resources.hpp"
#include "model/status.hpp"

namespace muster {

// A log of nodes whose sums changed, oldest first. A reader remembers end() and later continues from there.
// Positions below begin() have been dropped; a reader at such a position must start over.
class NodeJournal {
 public:
  std::uint64_t begin() const { return base_; }
  std::uint64_t end() const { return base_ + nodes_.size(); }
  NodeId at(std::uint64_t position) const { return nodes_[position - base_]; }

  void add(NodeId node) {
    constexpr std::size_t kLongest = 1 << 20;
    if (nodes_.size() >= kLongest) forget_up_to(end());
    nodes_.push_back(node);
  }
  // Makes every reader start over.
  void forget() { forget_up_to(end() + 1); }

 private:
  void forget_up_to(std::uint64_t position) {
    base_ = position;
    nodes_.clear();
  }
  std::vector<NodeId> nodes_;
  std::uint64_t base_ = 0;
};

class NodeTable {
 public:
  struct Change {
    bool any = false, presence = false, gpu_memory = false, labels = false;
  };

  // ---- Objects. A node that was only mentioned has an entry without an object.
  NodeId mention(std::string_view name);
  Change apply(NodeId id, NodeObject&& object, bool present, const NodeReading& reading);
  // Returns whether it existed.
  bool remove(std::string_view name);
  void set_claimable_gpus(NodeId id, std::int64_t gpus);
  // Not valid if it was never mentioned.
  NodeId find(std::string_view name) const;
  // Drops nodes that are neither present nor marked, and returns them.
  std::vector<NodeId> keep_only(Marks<NodeId> used);
  std::size_t count() const { return nodes_.size() - free_.size(); }

  const IdVector<NodeId, Node>& all() const { return nodes_; }
  const Node& operator[](NodeId id) const { return nodes_[id]; }
  // Present nodes by name. A node's rank is its index here.
  std::span<const NodeId> by_name() const { return by_name_; }
  std::uint32_t rank(NodeId id) const { return ranks_[id]; }
  // Recomputes the ranks. Returns whether they changed.
  bool rank_again();

  // ---- Sums
  const ResourceTable<NodeId>& allocatable() const { return allocatable_; }
  const ResourceTable<NodeId>& idle() const { return idle_; }
  const ResourceTable<NodeId>& releasing() const { return releasing_; }
  // The number of overdrawn kinds, counting idle amounts only, or idle and releasing ones. Such a node takes
  // no task at all, even one that requests none of that kind.
  int overdrawn_now(NodeId id) const { return overdrawn_now_[id]; }
  int overdrawn(NodeId id) const { return overdrawn_[id]; }
  // Resources that active pods of other schedulers hold.
  const Charge& foreign(NodeId id) const { return foreign_[id]; }
  const NodeJournal& journal() const { return journal_; }

  // Subtracts units that a task takes from the node; negative units give them back.
  void add(NodeId id, Kind kind, std::int64_t units, TaskStatus as) {
    if (!allocatable_.knows(kind) || allocatable_.at(kind, id) == 0) return;
    const std::int64_t most = std::max(kMostUnits, allocatable_.at(kind, id));
    units = std::clamp(units, -most, most);
    if (as == TaskStatus::kPipelined)
      shift(kind, id, 0, -units);
    else
      shift(kind, id, -units, as == TaskStatus::kReleasing ? units : 0);
  }
  // Likewise for the memory of a shared GPU, or for a claimed GPU.
  void add_share(NodeId id, GroupId gpu, std::int64_t memory, TaskStatus as) {
    add_to(nodes_[id].shared, id, gpu, memory, as);
  }
  void add_claimed(NodeId id, GroupId gpu, int sign, TaskStatus as) {
    add_to(nodes_[id].claimed, id, gpu, sign, as);
  }
  void add_foreign(NodeId id, const Charge& charge, int sign) {
    for (std::size_t i = 0; i < 3; ++i) foreign_[id].units[i] += sign * charge.units[i];
    totals_stale_ = true;
  }
  void touch(NodeId id) { journal_.add(id); }

  // ---- Recounts. The sums of a stale node are not maintained.
  void set_stale(NodeId id) { is_stale_[id] = some_stale_ = true; }
  bool is_stale(NodeId id) const { return is_stale_[id]; }
  bool some_stale() const { return some_stale_; }
  void clear_foreign() {
    foreign_.assign(nodes_.size(), {});
    totals_stale_ = true;
  }
  // Adds columns for those of the first `kinds` kinds that some node offers.
  void size_for(std::size_t kinds);
  // Resets the sums of the stale nodes and returns those nodes. The caller must add their tasks again.
  IdVector<NodeId, bool> restart_stale();

  // ---- Totals, as of the last sum_up()
  // Nodes without the label `gpu_role` count as having no GPUs; if it is null, all nodes count.
  void sum_up(const KindTable& kinds, const std::string* gpu_role);
  // Whether no input of the totals has changed since.
  bool are_totals_current() const { return !totals_stale_; }
  // The capacity of usable nodes, minus the use by pods of other schedulers there.
  const Charge& total() const { return total_; }
  // MiB per GPU of the smallest and the largest node with known GPU memory; 0 if there is none.
  std::int64_t smallest_gpu() const { return smallest_gpu_; }
  std::int64_t largest_gpu() const { return largest_gpu_; }

 private:
  void shift(Kind kind, NodeId id, std::int64_t idle_change, std::int64_t releasing_change) {
    std::int64_t &idle = idle_.cell(kind, id), &releasing = releasing_.cell(kind, id);
    const int now_before = idle < 0, before = idle + releasing < 0;
    idle += idle_change;
    releasing += releasing_change;
    overdrawn_now_[id] = static_cast<std::int16_t>(overdrawn_now_[id] + (idle < 0) - now_before);
    overdrawn_[id] = static_cast<std::int16_t>(overdrawn_[id] + (idle + releasing < 0) - before);
  }
  void add_to(std::vector<SharedGpu>& gpus, NodeId id, GroupId gpu, std::int64_t memory, TaskStatus as);
  void restart(NodeId id);
  void note_gpu_memory(NodeId id);
  Charge offer(NodeId id, const KindTable& kinds, const std::string* gpu_role) const;

  FreeIds<NodeId> free_;
  IdVector<NodeId, Node> nodes_;
  absl::flat_hash_map<std::string, NodeId> ids_;
  std::vector<NodeId> by_name_;
  IdVector<NodeId, std::uint32_t> ranks_;

  ResourceTable<NodeId> allocatable_, idle_, releasing_;
  std::vector<Kind> offered_{kCpu, kMemory, kGpu, kPods};  // offered kinds without a column so far
  IdVector<NodeId, std::int16_t> overdrawn_now_, overdrawn_;
  IdVector<NodeId, Charge> foreign_;
  NodeJournal journal_;
  IdVector<NodeId, bool> is_stale_;
  bool some_stale_ = false, list_stale_ = true, totals_stale_ = true;

  Charge total_;
  std::int64_t smallest_gpu_ = 0, largest_gpu_ = 0;
};

}  // namespace muster
