// GPUs that are or could become free, node by node, in thousandths of a device. actions.md 2, 9.4.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/cycle/session.hpp"
#include "engine/place/journal_reader.hpp"

namespace muster {

// What evicting the task gives back to its node.
std::int64_t freed_gpus(const Cluster& cluster, TaskId task);

// The sums of all nodes, kept up to date by reading the cluster's journal.
class GpuRoom {
 public:
  explicit GpuRoom(const Cluster& cluster) : cluster_(cluster) {}
  void update();
  std::int64_t of(NodeId n) const { return room_[cluster_.rank(n)]; }
  const std::vector<std::int64_t>& by_rank() const { return room_; }
  // Ranks of nodes that have idle or releasing GPUs.
  const Bitmap& nodes_with_room() const { return with_room_; }
  // Over nodes that may take pods at all.
  std::int64_t usable_total() const { return usable_total_; }
  std::int64_t total() const { return total_; }  // over all nodes
  // The most whole devices that are idle or releasing on one node.
  std::int64_t most_whole() const;
  // Likewise, where none has shared devices, whose parts do not add up exactly.
  std::optional<std::int64_t> exact_total() const {
    return sharing_ > 0 ? std::nullopt : std::optional(total_);
  }

 private:
  void read(NodeId node);
  const Cluster& cluster_;
  JournalReader journal_;
  std::vector<std::int64_t> room_;
  std::vector<bool> shares_;                        // nodes with shared devices
  std::vector<std::int64_t> whole_;                 // by rank
  mutable std::optional<std::int64_t> most_whole_;  // nothing: to be looked for
  Bitmap with_room_;
  std::int64_t usable_total_ = 0, total_ = 0, sharing_ = 0;
};

// Could tasks with these demands fit if some victims were gone? First fit decreasing over as many of the best
// nodes as there are tasks: exact for equal demands, may refuse mixed ones that would fit.
class RoomTest {
 public:
  // Starts over from the present room, with what the tasks want.
  void start(const Cluster& cluster, const GpuRoom& room, std::span<const TaskId> tasks);
  void free(NodeId node, std::int64_t gpus);
  bool passes() const;
  std::int64_t room(NodeId node) const { return room_[cluster_->rank(node)]; }
  std::int64_t demand() const { return total_; }
  std::int64_t smallest_demand() const { return demands_.empty() ? 0 : demands_.back(); }
  std::int64_t tasks() const { return static_cast<std::int64_t>(demands_.size()); }
  // With equal demands: how many tasks have room, and how many more `extra` GPUs on the node of a rank would
  // make room for.
  bool has_equal_demands() const { return equal_; }
  std::int64_t slots() const { return slots_; }
  std::int64_t slots_with(std::uint32_t rank, std::int64_t extra) const;
  // What there is room for, in GPUs: counted in tasks where demands are equal, otherwise taken together.
  std::int64_t reach() const { return equal_ ? slots_ * demands_.front() : sum_; }

 private:
  bool first_fit() const;

  const Cluster* cluster_ = nullptr;
  std::vector<std::int64_t> demands_;  // largest first
  std::int64_t total_ = 0;
  bool equal_ = false;
  std::vector<std::int64_t> room_;  // by rank
  std::int64_t slots_ = 0;          // tasks that fit by GPUs, where demands are equal
  std::int64_t sum_ = 0;            // of all room
  mutable std::vector<std::int64_t> best_;
};

// For how many more or fewer tasks of equal demands there is room when GPUs come free or stay taken.
class SlotChange {
 public:
  void add(const Cluster& cluster, NodeId node, std::int64_t gpus);
  // Counts all that was added, and starts over.
  std::int64_t count(const RoomTest& room);

 private:
  std::vector<std::int64_t> gpus_;      // by rank of node
  std::vector<std::uint32_t> touched_;  // ranks
};

}  // namespace muster
