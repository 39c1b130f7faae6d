// GPUs that are free or could become free, per node, in thousandths of a device. actions.md 2, 9.4.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/cycle/session.hpp"
#include "engine/place/journal_reader.hpp"

namespace muster {

// The GPUs that evicting the task frees on its node.
std::int64_t freed_gpus(const Cluster& cluster, TaskId task);

// Sums over all nodes, kept up to date from the cluster's journal.
class GpuRoom {
 public:
  explicit GpuRoom(const Cluster& cluster) : cluster_(cluster) {}
  void update();
  std::int64_t of(NodeId n) const { return room_[cluster_.rank(n)]; }
  const std::vector<std::int64_t>& by_rank() const { return room_; }
  // The ranks of nodes with idle or releasing GPUs.
  const Bitmap& nodes_with_room() const { return with_room_; }
  // The total over nodes that may take pods at all.
  std::int64_t usable_total() const { return usable_total_; }
  std::int64_t total() const { return total_; }  // over all nodes
  // The maximum number of whole devices that are idle or releasing on one node.
  std::int64_t most_whole() const;
  // The total over all nodes; nullopt if a node has shared devices, because their parts do not add up
  // exactly.
  std::optional<std::int64_t> exact_total() const {
    return sharing_ > 0 ? std::nullopt : std::optional(total_);
  }

 private:
  void read(NodeId node);
  const Cluster& cluster_;
  JournalReader journal_;
  std::vector<std::int64_t> room_;
  std::vector<bool> shares_;                        // whether a node has shared devices
  std::vector<std::int64_t> whole_;                 // by rank
  mutable std::optional<std::int64_t> most_whole_;  // nullopt: must be recomputed
  Bitmap with_room_;
  std::int64_t usable_total_ = 0, total_ = 0, sharing_ = 0;
};

// Tests whether tasks with these demands could fit if some victims were gone. Places tasks by first fit,
// largest first, on as many of the best nodes as there are tasks. Exact for equal demands; may refuse mixed
// demands that would fit.
class RoomTest {
 public:
  // Starts over from the current room with the demands of these tasks.
  void start(const Cluster& cluster, const GpuRoom& room, std::span<const TaskId> tasks);
  void free(NodeId node, std::int64_t gpus);
  bool passes() const;
  std::int64_t room(NodeId node) const { return room_[cluster_->rank(node)]; }
  std::int64_t demand() const { return total_; }
  std::int64_t smallest_demand() const { return demands_.empty() ? 0 : demands_.back(); }
  std::int64_t tasks() const { return static_cast<std::int64_t>(demands_.size()); }
  // With equal demands only: the number of tasks that fit, and how many more would fit with `extra` GPUs on
  // the node with that rank.
  bool has_equal_demands() const { return equal_; }
  std::int64_t slots() const { return slots_; }
  std::int64_t slots_with(std::uint32_t rank, std::int64_t extra) const;
  // The GPUs that fit: counted in whole tasks if demands are equal, otherwise the sum.
  std::int64_t reach() const { return equal_ ? slots_ * demands_.front() : sum_; }

 private:
  bool first_fit() const;

  const Cluster* cluster_ = nullptr;
  std::vector<std::int64_t> demands_;  // largest first
  std::int64_t total_ = 0;
  bool equal_ = false;
  std::vector<std::int64_t> room_;  // by rank
  std::int64_t slots_ = 0;          // number of tasks that fit by GPUs, if demands are equal
  std::int64_t sum_ = 0;            // of all room
  mutable std::vector<std::int64_t> best_;
};

// How many more or fewer tasks with equal demands fit when GPUs become free or stay in use.
class SlotChange {
 public:
  void add(const Cluster& cluster, NodeId node, std::int64_t gpus);
  // Returns the count for everything added since the last call, and starts over.
  std::int64_t count(const RoomTest& room);

 private:
  std::vector<std::int64_t> gpus_;      // by rank of node
  std::vector<std::uint32_t> touched_;  // ranks
};

}  // namespace muster
