// The running tasks that a contender may have moved: by node, and who has to go along.
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

// In which so many GPUs do so much work; whole seconds, so that the work is done by then.
inline Duration time_for(double gpu_hours, std::int64_t gpu_units) {
  constexpr double kMostSeconds = 3e8;  // ten years: further than anybody looks
  const double seconds = gpu_hours * 3600 * kOneGpu / static_cast<double>(gpu_units);
  return std::chrono::seconds(static_cast<std::int64_t>(std::ceil(std::min(seconds, kMostSeconds))));
}

class MovableWork {
 public:
  // For this contender's candidates, which must live on.
  void start(Session& session, VictimPool& pool, const Candidates& candidates);

  // Tasks on the node that may go, but for those that are to go already.
  void on(NodeId node, const Stamps<TaskId>& gone, std::vector<TaskId>& tasks);
  // What an eviction would take with the task, itself included: what victim order takes of its job before
  // it, a gang as a whole. Empty: it may not go.
  std::span<const TaskId> with(TaskId task);
  // GPU-hours of the task since its job last started: what a move throws away. Zero: not known.
  double work_of(TaskId task) const;
  // Some other node has room for the task as things stand.
  bool has_other_place(TaskId task, NodeId node);

 private:
  struct Places {
    std::uint64_t as_of = 0;
    NodeId first, second;  // that have room for a shape
  };
  void list_tasks();
  bool is_spared(JobId job);

  Session* session_ = nullptr;
  VictimPool* pool_ = nullptr;
  const Candidates* candidates_ = nullptr;
  std::unique_ptr<VictimOrder> order_;
  IdVector<NodeId, std::vector<TaskId>> by_node_;  // at the begin of the action
  Stamps<JobId> asked_, spared_;                   // by the candidates at hand
  absl::flat_hash_map<TaskId, std::vector<TaskId>> with_;
  absl::flat_hash_map<ShapeId, Places> places_;
};

}  // namespace muster::plugins
