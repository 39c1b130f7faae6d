// Finds the tasks that would have to leave a node so that another one fits: few tasks, and such as fit
// elsewhere.
#pragma once

#include <cmath>
#include <optional>
#include <tuple>
#include <vector>

#include "plugins/generators/movable_work.hpp"
#include "plugins/generators/node_room.hpp"

namespace muster::plugins {

// The cost of a set of evictions. Compares whole GPU-hours of lost work, then tasks, then GPUs.
struct Price {
  double work = 0;  // GPU-hours
  std::size_t tasks = 0;
  std::int64_t gpus = 0;

  double hours() const { return std::floor(work); }
  Price& operator+=(const Price& other) {
    work += other.work, tasks += other.tasks, gpus += other.gpus;
    return *this;
  }
  friend bool operator<(const Price& a, const Price& b) {
    return std::tuple(a.hours(), a.tasks, a.gpus) < std::tuple(b.hours(), b.tasks, b.gpus);
  }
};

struct Way {
  std::vector<TaskId> leave;  // on this node, and those evicted along with them
  Price price;
};

class Clearing {
 public:
  Clearing(const Cluster& cluster, MovableWork& work) : cluster_(cluster), work_(work) {}
  // Returns nothing if there is no way. The tasks in `gone` count as having left already.
  std::optional<Way> find(NodeRoom room, const Shape& shape, const Stamps<TaskId>& gone);

 private:
  struct Option {
    absl::InlinedVector<TaskId, 4> tasks;
    Price price;
    std::int64_t devices = 0;
  };
  bool free_devices(NodeRoom& room, const Shape& shape);
  bool free_whole(NodeRoom& room, std::int64_t missing);
  bool free_part(NodeRoom& room, const Shape& shape);
  bool free_rest(NodeRoom& room, const Shape& shape);
  void list_options(const NodeRoom& room);
  void add_option(const NodeRoom& room, Option option);
  Option sharers_of(GroupId device) const;
  void take(NodeRoom& room, TaskId task);
  Price price_of(TaskId task) const;
  Price price_of(std::span<const TaskId> tasks) const;

  const Cluster& cluster_;
  MovableWork& work_;
  Way way_;
  Stamps<TaskId> taken_, seen_;
  std::vector<TaskId> tasks_;  // of the node, that may be evicted
  std::vector<Option> options_;
};

}  // namespace muster::plugins
