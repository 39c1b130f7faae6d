// GPUs that are or could become free, node by node, in thousandths of a device. actions.md 2, 9.4.
#pragma once

#include <span>
#include <vector>

#include "engine/session.hpp"

namespace muster {

// Idle and releasing GPUs of a node, free and releasing parts of shared ones included.
struct GpuSum {
  std::int64_t idle = 0, releasing = 0;
  std::int64_t total() const { return idle + releasing; }
};
GpuSum gpu_sum(const Cluster& cluster, NodeId node);
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

 private:
  void read(NodeId node);
  const Cluster& cluster_;
  std::uint64_t read_to_ = 0;
  bool is_built_ = false;
  std::vector<std::int64_t> room_;
  Bitmap with_room_;
  std::int64_t usable_total_ = 0;
};

// Could tasks with these demands fit if some victims were gone? First fit decreasing over as many of the best nodes
// as there are tasks: exact for equal demands, may refuse mixed ones that would fit.
class RoomTest {
 public:
  // Starts over from the present room.
  void start(const Cluster& cluster, const GpuRoom& room, std::vector<std::int64_t> demands);
  void free(NodeId node, std::int64_t gpus);
  bool passes() const;
  std::int64_t room(NodeId node) const { return room_[cluster_->rank(node)]; }
  std::int64_t demand() const { return total_; }
  std::int64_t smallest_demand() const { return demands_.empty() ? 0 : demands_.back(); }
  // With equal demands: how many more tasks `extra` GPUs on the node would make room for.
  bool has_equal_demands() const { return equal_; }
  std::int64_t slots() const { return slots_; }
  std::int64_t slots_with(NodeId node, std::int64_t extra) const;

 private:
  bool first_fit() const;

  const Cluster* cluster_ = nullptr;
  std::vector<std::int64_t> demands_;  // largest first
  std::int64_t total_ = 0;
  bool equal_ = false;
  std::vector<std::int64_t> room_;     // by rank
  std::int64_t slots_ = 0;             // tasks that fit by GPUs, where demands are equal
  mutable std::vector<std::int64_t> best_;
};

}  // namespace muster
