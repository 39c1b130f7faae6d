// The nodes: by name, what they have, and what tasks leave of it.
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

// Nodes whose sums changed, oldest first. A reader remembers end() and later reads on from there; a position
// below begin() has been forgotten and the reader starts afresh.
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
  // Every reader starts afresh.
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

  // ---- objects. A node that is only mentioned is there as a name.
  NodeId mention(std::string_view name);
  Change apply(NodeId id, NodeObject&& object, bool present, const NodeReading& reading);
  // Whether there was one.
  bool remove(std::string_view name);
  void set_claimable_gpus(NodeId id, std::int64_t gpus);
  // Not valid: never mentioned.
  NodeId find(std::string_view name) const;
  // Forgets those that are not there and not used; tells which.
  std::vector<NodeId> keep_only(Marks<NodeId> used);
  std::size_t count() const { return nodes_.size() - free_.size(); }

  const IdVector<NodeId, Node>& all() const { return nodes_; }
  const Node& operator[](NodeId id) const { return nodes_[id]; }
  // Present nodes by name; a node's rank is its place in it.
  std::span<const NodeId> by_name() const { return by_name_; }
  std::uint32_t rank(NodeId id) const { return ranks_[id]; }
  // Whether they have changed.
  bool rank_again();

  // ---- sums
  const ResourceTable<NodeId>& allocatable() const { return allocatable_; }
  const ResourceTable<NodeId>& idle() const { return idle_; }
  const ResourceTable<NodeId>& releasing() const { return releasing_; }
  // How many kinds are overdrawn, of what is idle, and with what is being released. Such a node takes no task
  // at all, even one that asks for nothing of that kind.
  int overdrawn_now(NodeId id) const { return overdrawn_now_[id]; }
  int overdrawn(NodeId id) const { return overdrawn_[id]; }
  // What active pods of other schedulers hold.
  const Charge& foreign(NodeId id) const { return foreign_[id]; }
  const NodeJournal& journal() const { return journal_; }

  // Units that a task takes of the node; negative ones give them back.
  void add(NodeId id, Kind kind, std::int64_t units, TaskStatus as) {
    if (!allocatable_.knows(kind) || allocatable_.at(kind, id) == 0) return;
    if (as == TaskStatus::kPipelined)
      shift(kind, id, 0, -units);
    else
      shift(kind, id, -units, as == TaskStatus::kReleasing ? units : 0);
  }
  // Memory of a GPU that a task shares with others, and a GPU that it claims; likewise.
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

  // ---- starting over. While a node is stale, its sums are not kept.
  void set_stale(NodeId id) { is_stale_[id] = some_stale_ = true; }
  bool is_stale(NodeId id) const { return is_stale_[id]; }
  bool some_stale() const { return some_stale_; }
  void clear_foreign() {
    foreign_.assign(nodes_.size(), {});
    totals_stale_ = true;
  }
  // Columns for those of so many kinds that some node offers.
  void size_for(std::size_t kinds);
  // As if no task stood on the stale nodes. Tells which they were: whoever knows the tasks adds them again.
  IdVector<NodeId, bool> restart_stale();

  // ---- totals, as of sum_up()
  // `gpu_role`: nodes without that label count as having no GPUs; null: all count.
  void sum_up(const KindTable& kinds, const std::string* gpu_role);
  // Nothing that they are made of has changed since.
  bool are_totals_current() const { return !totals_stale_; }
  // What usable nodes offer, less what other schedulers' pods hold there.
  const Charge& total() const { return total_; }
  // MiB per GPU of the smallest and largest node whose GPU memory is known; 0 if there is none.
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
  std::vector<Kind> offered_{kCpu, kMemory, kGpu, kPods};  // kinds that have no column yet
  IdVector<NodeId, std::int16_t> overdrawn_now_, overdrawn_;
  IdVector<NodeId, Charge> foreign_;
  NodeJournal journal_;
  IdVector<NodeId, bool> is_stale_;
  bool some_stale_ = false, list_stale_ = true, totals_stale_ = true;

  Charge total_;
  std::int64_t smallest_gpu_ = 0, largest_gpu_ = 0;
};

}  // namespace muster
