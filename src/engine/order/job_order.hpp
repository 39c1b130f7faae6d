// Serves jobs in order: heaps of jobs below heaps of queues. fairshare.md 7.
#pragma once

#include <optional>
#include <vector>

#include "engine/order/queue_heaps.hpp"

namespace muster {

struct QueuedJob : JobEntry {
  bool has_active_tasks = false;  // it may lose these while it waits here
};

struct QueuedJobs {
  // What the first job requests, cached by its version: queues are compared far more often than jobs change.
  struct Head {
    JobId job;
    std::uint64_t version = 0;
    Demand wanted;
  };
  std::vector<QueuedJob> heap;  // starts at `begin`
  std::size_t begin = 0;        // used if the leaf is sorted; 0 for a heap
  bool is_in_order = false;     // fully sorted, best first
  bool may_change = false;      // the position of some jobs may change while they wait here
  mutable Head head;
  const QueuedJob& first() const { return heap[begin]; }
  bool empty() const { return begin == heap.size(); }
  void clear() {
    heap.clear();
    begin = 0;
    is_in_order = may_change = false;
    head = {};
  }
};

class JobOrder : private QueueHeaps<JobOrder, QueuedJobs, ComesUp::kServedFirst> {
  using Heaps = QueueHeaps<JobOrder, QueuedJobs, ComesUp::kServedFirst>;
  friend Heaps;

 public:
  // Keeps at most the best `depth` jobs of each leaf queue.
  explicit JobOrder(Session& session, std::optional<int> depth = std::nullopt)
      : Heaps(session), depth_(depth) {}

  // Ignores jobs whose queue is unknown or not a leaf.
  void push(JobId job);
  using Heaps::empty;
  JobId pop();

 private:
  QueueSide side(QueueId queue, const QueuedJobs& best) const;
  JobEntry as_it_is_now(const QueuedJob& job) const;
  auto by_job_order() const;
  void put_in_order(QueuedJobs& leaf) const;
  void insert(QueuedJobs& leaf, const QueuedJob& job) const;
  void trim(std::vector<QueuedJob>& jobs) const;

  std::optional<int> depth_;
};

}  // namespace muster
