// Jobs served in order.
#include "engine/order/job_order.hpp"

#include <algorithm>
#include <cassert>

#include "engine/order/heap.hpp"

namespace muster {

JobOrder::JobOrder(Session& session, std::optional<int> depth) : session_(session), depth_(depth) {}

JobOrder::QueueNode* JobOrder::make_node(QueueId queue, bool is_leaf) {
  nodes_.push_back(std::make_unique<QueueNode>());
  QueueNode* node = nodes_.back().get();
  node->queue = queue;
  node->is_leaf = is_leaf;
  by_queue_[queue] = node;
  return node;
}

const JobOrder::QueueNode& JobOrder::best_leaf(const QueueNode& node) const {
  const QueueNode* at = &node;
  while (!at->is_leaf) at = at->children.front();
  return *at;
}

// One that lost tasks while it waits here stands differently. One that has none can lose none, and gets none
// here.
JobEntry JobOrder::as_it_is_now(const Waiting& job) const {
  JobEntry entry = job;
  if (job.has_active_tasks) entry.elastic = elastic_state(session_.cluster.job(job.job));
  assert(entry.elastic == elastic_state(session_.cluster.job(job.job)));
  return entry;
}

bool JobOrder::job_before(const Waiting& a, const Waiting& b) const {
  return session_.job_before(as_it_is_now(a), as_it_is_now(b));
}

bool JobOrder::queue_before(const QueueNode& a, const QueueNode& b) const {
  const auto wanted = [&](const QueueNode& node) {
    return session_.chunk(best_leaf(node).jobs.front().job, true).wanted;
  };
  const QueueSide left{.queue = a.queue, .wanted = wanted(a)}, right{.queue = b.queue, .wanted = wanted(b)};
  if (const int order = session_.hooks.queue_order(left, right)) return order < 0;
  return is_older(session_.cluster.queue(a.queue).meta, session_.cluster.queue(b.queue).meta);
}

void JobOrder::push(JobId id) {
  const Job& job = session_.cluster.job(id);
  const QueueId queue = job.queue;
  if (!queue.valid() || !session_.cluster.queue(queue).usable || !session_.cluster.queue(queue).is_leaf())
    return;
  const auto before = [&](const Waiting& a, const Waiting& b) { return job_before(a, b); };
  const Waiting waiting{session_.entry(id), job.counts.active_allocated() > 0};
  const auto known = by_queue_.find(queue);
  QueueNode* leaf = known != by_queue_.end() ? known->second : nullptr;
  if (leaf != nullptr) {
    heap::push(leaf->jobs, waiting, before);
    trim(*leaf);
  } else {
    leaf = make_node(queue, true);
    leaf->jobs.push_back(waiting);
    link(leaf);
  }
  mark_dirty(leaf);
}

// Keeps the best jobs of the leaf, not those that happen to stand first in the heap.
void JobOrder::trim(QueueNode& leaf) {
  if (!depth_ || static_cast<int>(leaf.jobs.size()) <= *depth_) return;
  const auto before = [&](const Waiting& a, const Waiting& b) { return job_before(a, b); };
  std::sort(leaf.jobs.begin(), leaf.jobs.end(), before);  // sorted is a heap, too
  leaf.jobs.resize(static_cast<std::size_t>(*depth_));
}

// Hangs a new node below its parent, making missing ancestors.
void JobOrder::link(QueueNode* node) {
  const auto before = [&](const QueueNode* a, const QueueNode* b) { return queue_before(*a, *b); };
  while (true) {
    const QueueId parent = session_.cluster.queue(node->queue).parent;
    if (!parent.valid()) return heap::push(root_, node, before);
    const auto known = by_queue_.find(parent);
    const bool is_new = known == by_queue_.end();
    node->parent = is_new ? make_node(parent, false) : known->second;
    heap::push(node->parent->children, node, before);
    if (!is_new) return;
    node = node->parent;
  }
}

void JobOrder::mark_dirty(QueueNode* node) {
  for (; node != nullptr; node = node->parent) node->dirty = true;
}

JobId JobOrder::pop() {
  const auto before = [&](const QueueNode* a, const QueueNode* b) { return queue_before(*a, *b); };
  const auto stands_before = [&](const Waiting& a, const Waiting& b) { return job_before(a, b); };
  std::vector<QueueNode*>* heap = &root_;
  QueueNode* node = nullptr;
  while (true) {
    node = heap->front();
    while (node->dirty) {
      heap::sift_down(*heap, heap->size(), before);
      node->dirty = false;  // of the node that was on top, not of the one that came up
      node = heap->front();
    }
    if (node->is_leaf) break;
    heap = &node->children;
  }
  const JobId job = heap::pop(node->jobs, stands_before).job;
  while (node != nullptr && node->empty()) {
    auto& siblings = node->parent != nullptr ? node->parent->children : root_;
    by_queue_.erase(node->queue);
    heap::pop(siblings, before);
    node = node->parent;
  }
  mark_dirty(node);
  return job;
}

}  // namespace muster
