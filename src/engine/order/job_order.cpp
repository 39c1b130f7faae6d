// A leaf is a heap of jobs. Queues are compared by the request of the best job below them.
#include "engine/order/job_order.hpp"

#include <algorithm>
#include <cassert>

namespace muster {

QueueSide JobOrder::side(QueueId queue, const QueuedJobs& best) const {
  const JobId first = best.first().job;
  const auto is_as_before = [&] {
    return !best.may_change || best.head.version == session_.cluster.job(first).version;
  };
  if (best.head.job != first || !is_as_before())
    best.head = {
        .job = first, .version = session_.cluster.job(first).version, .wanted = session_.chunk(first).wanted};
  return {.queue = queue, .wanted = best.head.wanted};
}

// A job that lost tasks while waiting here has a new position. A job without placed tasks cannot lose any,
// and gains none here.
JobEntry JobOrder::as_it_is_now(const QueuedJob& job) const {
  if (job.has_active_tasks) return session_.entry(job.job);
  assert(job.rank == session_.entry(job.job).rank);
  return job;
}

auto JobOrder::by_job_order() const {
  return [this](const QueuedJob& a, const QueuedJob& b) {
    return session_.job_before(as_it_is_now(a), as_it_is_now(b));
  };
}

void JobOrder::push(JobId id) {
  const Job& job = session_.cluster.job(id);
  if (!job.is_in_named_queue) return;
  const QueuedJob queued{session_.entry(id), job.counts.active_allocated() > 0};
  Node* node = node_of(job.queue);
  auto& jobs = node->leaf.heap;
  if (node->is_linked) {
    insert(node->leaf, queued);
  } else {
    node->leaf.clear();
    jobs.push_back(queued);
    link(node);
  }
  node->leaf.may_change |= queued.has_active_tasks;
  node->leaf.head = {};
  touch(node);
}

void JobOrder::insert(QueuedJobs& leaf, const QueuedJob& job) const {
  auto& jobs = leaf.heap;
  if (!leaf.is_in_order) {
    heap::push(jobs, job, by_job_order());
    return trim(jobs);
  }
  const auto begin = jobs.begin() + static_cast<std::ptrdiff_t>(leaf.begin);
  jobs.insert(std::upper_bound(begin, jobs.end(), job, by_job_order()), job);
  if (depth_ && std::ssize(jobs) - static_cast<std::ptrdiff_t>(leaf.begin) > *depth_) jobs.pop_back();
}

// If no job here can change its position, a sorted list serves like a heap, and jobs mostly arrive in order.
void JobOrder::put_in_order(QueuedJobs& leaf) const {
  if (leaf.is_in_order || leaf.may_change) return;
  if (!std::is_sorted(leaf.heap.begin(), leaf.heap.end(), by_job_order()))
    std::sort(leaf.heap.begin(), leaf.heap.end(), by_job_order());
  leaf.is_in_order = true;
}

// Keeps the best jobs, not just the first ones in the heap.
void JobOrder::trim(std::vector<QueuedJob>& jobs) const {
  if (!depth_ || static_cast<int>(jobs.size()) <= *depth_) return;
  std::sort(jobs.begin(), jobs.end(), by_job_order());  // a sorted list is a heap
  jobs.resize(static_cast<std::size_t>(*depth_));
}

JobId JobOrder::pop() {
  Node* node = first_leaf();
  QueuedJobs& leaf = node->leaf;
  put_in_order(leaf);
  const JobId job = leaf.is_in_order ? leaf.heap[leaf.begin++].job : heap::pop(leaf.heap, by_job_order()).job;
  settle(node);
  return job;
}

}  // namespace muster
