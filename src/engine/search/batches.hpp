// Victims in the order in which they were taken, batch by batch: the tasks that one step took from one job.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/ids.hpp"

namespace muster {

class Batches {
 public:
  struct Batch {
    JobId job;
    std::span<const TaskId> tasks;
  };
  void clear() {
    tasks_.clear();
    items_.clear();
  }
  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }
  Batch operator[](std::size_t i) const {
    return {items_[i].job,
            std::span<const TaskId>(tasks_).subspan(items_[i].begin, items_[i].end - items_[i].begin)};
  }
  void begin_batch(JobId job) {
    const auto at = static_cast<std::uint32_t>(tasks_.size());
    items_.push_back({job, at, at});
  }
  void add(TaskId task) {
    tasks_.push_back(task);
    items_.back().end = static_cast<std::uint32_t>(tasks_.size());
  }
  void append(JobId job, std::span<const TaskId> tasks) {
    begin_batch(job);
    for (TaskId t : tasks) add(t);
  }
  // All tasks, a task of two batches twice.
  std::span<const TaskId> tasks() const { return tasks_; }

 private:
  struct Item {
    JobId job;
    std::uint32_t begin, end;
  };
  std::vector<TaskId> tasks_;
  std::vector<Item> items_;
};

}  // namespace muster
