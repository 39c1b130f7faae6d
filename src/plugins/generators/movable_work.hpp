// The running tasks that may be moved for a preemptor, by node. Each one comes with the tasks that must be
// evicted together with it.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include "engine/order/victim_order.hpp"

namespace muster::plugins {

inline double gpu_hours(std::int64_t gpu_units, Duration time) {
  return static_cast<double>(gpu_units) / kOneGpu *
         std::chrono::duration<double, std::ratio<3600>>(time).count();
}

// The time in which the GPUs do this much work, rounded up to whole seconds.
inline Duration time_for(double gpu_hours, std::int64_t gpu_units) {
  constexpr double kMostSeconds = 3e8;  // ten years, beyond any useful forecast
  const double seconds = gpu_hours * 3600 * kOneGpu / static_cast<double>(gpu_units);
  return std::chrono::seconds(static_cast<std::int64_t>(std::ceil(std::min(seconds, kMostSeconds))));
}

class MovableWork {
 public:
  // Starts with the candidates of one preemptor; all of them must be placed again.
  void start(Session& session, VictimPool& pool, const Candidates& candidates);

  // Appends the tasks on the node that may be evicted, except those that are `gone` already.
  void on(NodeId node, const Stamps<TaskId>& gone, std::vector<TaskId>& tasks);
  // The tasks that must be evicted to evict this one, including itself: in victim order, all batches of its
  // job up to its own. A gang is one batch. Empty if the task may not be evicted.
  std::span<const TaskId> with(TaskId task);
  // GPU-hours of the task since its job last started, which a move loses. Zero if unknown.
  double work_of(TaskId task) const;
  // True if some other node has room for the task now.
  bool has_other_place(TaskId task, NodeId node);

 private:
  struct Places {
    std::uint64_t as_of = 0;
    NodeId first, second;  // nodes with room for a shape
  };
  void list_tasks();
  bool is_exempt(JobId job);

  Session* session_ = nullptr;
  VictimPool* pool_ = nullptr;
  const Candidates* candidates_ = nullptr;
  std::unique_ptr<VictimOrder> order_;
  IdVector<NodeId, std::vector<TaskId>> by_node_;  // at the start of the action
  Stamps<JobId> asked_, exempt_;                   // by the current candidates
  absl::flat_hash_map<TaskId, std::vector<TaskId>> with_;
  absl::flat_hash_map<ShapeId, Places> places_;
};

}  // namespace muster::plugins
