// Jobs served in order: heaps of jobs below heaps of queues. fairshare.md 7.
#pragma once

#include <optional>
#include <vector>

#include "engine/order/queue_heaps.hpp"

namespace muster {

struct QueuedJob : JobEntry {
  bool has_active_tasks = false;  // which it may lose while it waits here
};

struct QueuedJobs {
  // What the first job wants, as of a version of it: queues are compared far more often than their jobs
  // change.
  struct Head {
    JobId job;
    std::uint64_t version = 0;
    Demand wanted;
  };
  std::vector<QueuedJob> heap;  // from `begin` on
  std::size_t begin = 0;        // of a leaf in order; 0 where it is a heap
  bool is_in_order = false;     // all of it, the best first
  bool may_change = false;      // some may come to stand differently while they wait here
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
  // At most `depth` jobs wait in each leaf queue, the best ones.
  explicit JobOrder(Session& session, std::optional<int> depth = std::nullopt)
      : Heaps(session), depth_(depth) {}

  // Jobs whose queue is unknown or not a leaf are left out.
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
