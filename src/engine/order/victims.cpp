// The running jobs that may be evicted, in victim order.
#include "engine/order/victims.hpp"

#include <algorithm>

#include "engine/order/gang_view.hpp"
#include "engine/order/heap.hpp"

namespace muster {
namespace {

std::int64_t gpus_of(const Cluster& c, JobId job) {
  std::int64_t sum = 0;
  for (const PodSet& p : c.job(job).pod_sets)
    for (TaskId t : p.tasks)
      if (const Placement& at = c.placement(t); in(at.status, kActiveAllocated) && at.node.valid())
        sum += c.accepted(c.shape_of(t), at.node).units[index(Accounted::kGpus)];
  return sum;
}

}  // namespace

// ---------------------------------------------------------------- the pool

VictimPool::VictimPool(Session& session)
    : session_(session),
      before_([&session](const JobEntry& a, const JobEntry& b) { return session.senior(a, b); }),
      by_queue_(session.cluster.queues().size()) {
  for (JobId j : ids(session.cluster.jobs()))
    if (is_evictable(j)) insert(j);
  list_leaves();
}

VictimPool::VictimPool(Session& session, std::span<const JobId> jobs, Before before)
    : session_(session),
      before_(std::move(before)),
      members_(std::in_place, jobs.begin(), jobs.end()),
      by_queue_(session.cluster.queues().size()) {
  for (JobId j : jobs)
    if (is_evictable(j)) insert(j);
  list_leaves();
}

void VictimPool::list_leaves() {
  const QueueTree& queues = session_.cluster.queue_tree();
  for (QueueId q : queues.depth_first())
    if (queues[q].is_leaf()) leaves_.push_back(q);
}

bool VictimPool::is_evictable(JobId id) const {
  const Job& job = session_.cluster.job(id);
  return (!members_ || members_->contains(id)) && job.present &&
         job.preemptibility != Preemptibility::kNonPreemptible && job.counts.active_allocated() > 0 &&
         job.queue.valid() && session_.cluster.queue(job.queue).usable &&
         session_.cluster.queue(job.queue).is_leaf();
}

const std::vector<JobEntry>& VictimPool::of(QueueId leaf) {
  Leaf& jobs = by_queue_[leaf];
  if (!jobs.is_sorted)
    std::sort(jobs.jobs.begin(), jobs.jobs.end(),
              [&](const JobEntry& a, const JobEntry& b) { return before_(b, a); });
  jobs.is_sorted = true;
  return jobs.jobs;
}

void VictimPool::changed(std::span<const JobId> jobs) {
  moved_.clear();
  for (JobId j : jobs)
    if (listed_.contains(j)) moved_.insert(j), ++by_queue_[session_.cluster.job(j).queue].moved;
  for (JobId j : jobs)
    if (listed_.contains(j)) erase_moved(by_queue_[session_.cluster.job(j).queue]);
  for (JobId j : jobs) {
    listed_.erase(j);
    if (is_evictable(j)) insert(j);
  }
}

// Those that moved stand near the front, where victims are taken from: what comes after the last of them is
// shifted in one piece.
void VictimPool::erase_moved(Leaf& leaf) {
  auto kept = leaf.jobs.begin(), at = kept;
  for (; leaf.moved > 0; ++at)
    if (moved_.contains(at->job))
      --leaf.moved;
    else
      *kept++ = *at;
  leaf.jobs.erase(kept, at);
}

void VictimPool::insert(JobId id) {
  Leaf& leaf = by_queue_[session_.cluster.job(id).queue];
  if (leaf.largest) leaf.largest = std::max(*leaf.largest, gpus_of(session_.cluster, id));
  listed_.insert(id);
  const JobEntry entry = session_.entry(id);
  const auto after = [&](const JobEntry& a, const JobEntry& b) { return before_(b, a); };
  leaf.jobs.insert(
      leaf.is_sorted ? std::lower_bound(leaf.jobs.begin(), leaf.jobs.end(), entry, after) : leaf.jobs.end(),
      entry);
}

Charge VictimPool::held(JobId id) const {
  Charge sum;
  for (const PodSet& p : session_.cluster.job(id).pod_sets)
    for (TaskId t : p.tasks)
      if (in(session_.cluster.placement(t).status, kAllocatedSet)) sum += session_.cluster.shape_of(t).charge;
  return sum;
}

std::int64_t VictimPool::largest(QueueId leaf) {
  const Cluster& c = session_.cluster;
  auto& known = by_queue_[leaf].largest;
  if (!known) {
    known = 0;
    for (const JobEntry& e : by_queue_[leaf].jobs) known = std::max(*known, gpus_of(c, e.job));
  }
  return *known;
}

// ---------------------------------------------------------------- the order

void VictimOrder::start(const Candidates& candidates) {
  candidates_ = &candidates;
  left_ = candidates.at_most;
  used_ = 0;
  by_queue_.clear();
  root_.clear();
  gone_.clear();
  for (QueueId leaf : candidates.leaves) {
    if (pool_.of(leaf).empty()) continue;
    bool is_new = false;
    QueueNode* node = node_of(leaf, is_new);
    node->is_leaf = true;
    node->base = &pool_.of(leaf);
    fill_head(*node);
    if (!node->has_head) {
      by_queue_.erase(leaf);
      continue;
    }
    link(node);
    mark_dirty(node);
  }
}

VictimOrder::QueueNode* VictimOrder::node_of(QueueId queue, bool& is_new) {
  auto& node = by_queue_[queue];
  is_new = node == nullptr;
  if (!is_new) return node;
  if (used_ == nodes_.size()) nodes_.push_back(std::make_unique<QueueNode>());
  node = nodes_[used_++].get();
  node->queue = queue;
  node->parent = nullptr;
  node->is_leaf = node->dirty = node->has_head = false;
  node->base = nullptr;
  node->at = 0;
  node->begun.clear();
  node->popped = {};
  node->children.clear();
  return node;
}

void VictimOrder::link(QueueNode* node) {
  const auto less = [&](const QueueNode* a, const QueueNode* b) { return queue_less(*a, *b); };
  while (true) {
    const QueueId parent = session_.cluster.queue(node->queue).parent;
    if (!parent.valid()) return heap::push(root_, node, less);
    bool is_new = false;
    node->parent = node_of(parent, is_new);
    const bool was_empty = node->parent->children.empty();
    heap::push(node->parent->children, node, less);
    if (!was_empty) return;
    node = node->parent;
  }
}

void VictimOrder::mark_dirty(QueueNode* node) {
  for (; node != nullptr; node = node->parent) node->dirty = true;
}

// The better of the next untouched job and the next one that was taken apart.
void VictimOrder::fill_head(QueueNode& leaf) {
  const auto less = [&](const Entry& a, const Entry& b) { return job_less(a.job, b.job); };
  for (; leaf.base != nullptr && leaf.at < leaf.base->size(); ++leaf.at)
    if (!candidates_->spares((*leaf.base)[leaf.at].job)) break;
  const bool has_base = leaf.base != nullptr && leaf.at < leaf.base->size();
  leaf.has_head = has_base || !leaf.begun.empty();
  if (!leaf.has_head) return;
  if (has_base && (leaf.begun.empty() || job_less((*leaf.base)[leaf.at], leaf.begun.front().job))) {
    const JobEntry job = (*leaf.base)[leaf.at++];
    leaf.head = {.job = job, .taken = {}, .held = pool_.held(job.job)};
  } else {
    leaf.head = heap::pop(leaf.begun, less);
  }
}

bool VictimOrder::queue_less(const QueueNode& a, const QueueNode& b) const {
  const auto side = [](const QueueNode& node) {
    const QueueNode* leaf = &node;
    while (!leaf->is_leaf) leaf = leaf->children.front();
    QueueSide s{.queue = node.queue};
    s.victims = leaf->popped;
    if (leaf->has_head) s.victims += leaf->head.held;
    return s;
  };
  const int order = session_.hooks.queue_order(side(a), side(b));
  if (order != 0) return order >= 0;  // served first, evicted last
  return !is_older(session_.cluster.queue(a.queue).meta, session_.cluster.queue(b.queue).meta);
}

std::optional<VictimOrder::Popped> VictimOrder::pop() {
  while (!root_.empty()) {
    pop_entry();
    if (!popped_.begun && left_ == 0) continue;
    Popped result{.job = popped_.job.job, .tasks = {}};
    collect_victims(popped_, result.tasks);
    if (result.tasks.empty()) continue;
    if (!popped_.begun && left_ > 0) --left_;
    popped_.begun = true;
    return result;
  }
  return std::nullopt;
}

void VictimOrder::pop_entry() {
  const auto less = [&](const QueueNode* a, const QueueNode* b) { return queue_less(*a, *b); };
  std::vector<QueueNode*>* heap = &root_;
  QueueNode* node = nullptr;
  while (true) {
    node = heap->front();
    while (node->dirty) {
      heap::sift_down(*heap, heap->size(), less);
      node->dirty = false;
      node = heap->front();
    }
    if (node->is_leaf) break;
    heap = &node->children;
  }
  popped_ = std::move(node->head);
  node->popped += popped_.held;
  fill_head(*node);
  while (node != nullptr && !(node->is_leaf ? node->has_head : !node->children.empty())) {
    heap::pop(node->parent != nullptr ? node->parent->children : root_, less);
    node = node->parent;
  }
  mark_dirty(node);
}

bool VictimOrder::take(const Popped& popped) {
  Entry rest = std::move(popped_);
  const Job& job = session_.cluster.job(popped.job);
  if (rest.taken.empty()) rest.taken.start(job.pod_sets.size());
  for (TaskId t : popped.tasks) {
    gone_.insert(t);
    ++rest.taken[session_.cluster.task(t).pod_set];
    if (in(session_.cluster.placement(t).status, kAllocatedSet))
      rest.held -= session_.cluster.shape_of(t).charge;
  }
  return push_back(std::move(rest));
}

bool VictimOrder::skip(const Popped& popped, const Stamps<TaskId>& gone) {
  Entry rest = std::move(popped_);
  const Job& job = session_.cluster.job(popped.job);
  if (rest.taken.empty()) rest.taken.start(job.pod_sets.size());
  for (const PodSet& p : job.pod_sets)
    for (TaskId t : p.tasks)
      if (gone.contains(t) && is_active(t)) {
        gone_.insert(t);
        ++rest.taken[session_.cluster.task(t).pod_set];
        if (in(session_.cluster.placement(t).status, kAllocatedSet))
          rest.held -= session_.cluster.shape_of(t).charge;
      }
  return push_back(std::move(rest));
}

// What is left of a job waits in its leaf again; false: nothing is.
bool VictimOrder::push_back(Entry entry) {
  const Job& job = session_.cluster.job(entry.job.job);
  const GangView view(session_, job, entry.taken);
  if (view.active() == 0) return false;
  entry.job.elastic = view.elastic_state();
  bool is_new = false;
  QueueNode* leaf = node_of(job.queue, is_new);
  leaf->is_leaf = true;
  const bool was_linked = leaf->has_head;
  const auto less = [&](const Entry& a, const Entry& b) { return job_less(a.job, b.job); };
  if (was_linked) heap::push(leaf->begun, std::exchange(leaf->head, Entry{}), less);
  heap::push(leaf->begun, std::move(entry), less);
  leaf->head = heap::pop(leaf->begun, less);
  leaf->has_head = true;
  if (!was_linked) link(leaf);
  mark_dirty(leaf);
  return true;
}

// ---------------------------------------------------------------- what an eviction takes: actions.md 3.4

bool VictimOrder::is_active(TaskId t) const {
  return in(session_.cluster.placement(t).status, kActiveAllocated) && !gone_.contains(t);
}

void VictimOrder::collect_victims(const Entry& entry, absl::InlinedVector<TaskId, 8>& tasks) {
  const Job& job = session_.cluster.job(entry.job.job);
  if (job.pod_sets.size() == 1 && job.pod_sets[0].tasks.size() == 1 &&
      job.is_preemptible()) {  // all there is
    if (const TaskId t = job.pod_sets[0].tasks[0]; is_active(t)) tasks.push_back(t);
    return;
  }
  const Member root{.is_pod_set = false, .at = 0};
  if (collect_surplus(entry, root, tasks)) return;
  // The core of a semi-preemptible job stays.
  if (job.is_preemptible()) collect_active(entry, root, tasks);
}

void VictimOrder::collect_active(const Entry& entry, const Member& m, absl::InlinedVector<TaskId, 8>& tasks) {
  const Job& job = session_.cluster.job(entry.job.job);
  if (m.is_pod_set) {
    for (TaskId t : session_.ordered_tasks(entry.job.job, m.at))
      if (is_active(t)) tasks.push_back(t);
    return;
  }
  for (const Member& kid : job.sets[m.at].members) collect_active(entry, kid, tasks);
}

bool VictimOrder::collect_surplus(const Entry& entry, const Member& m,
                                  absl::InlinedVector<TaskId, 8>& tasks) {
  const Job& job = session_.cluster.job(entry.job.job);
  const GangView view(session_, job, entry.taken);
  if (m.is_pod_set) {
    if (view.active(m.at) <= job.pod_sets[m.at].minimum) return false;
    const auto& ordered = session_.ordered_tasks(entry.job.job, m.at);
    const auto last = std::find_if(ordered.rbegin(), ordered.rend(), [&](TaskId t) { return is_active(t); });
    tasks.push_back(*last);
    return true;
  }
  const GroupSet& set = job.sets[m.at];
  const std::int32_t satisfied = view.satisfied_members(set);
  if (satisfied == 0) return false;
  const auto members = view.ordered_members(set);
  for (auto kid = members.rbegin(); kid != members.rend(); ++kid)
    if (collect_surplus(entry, *kid, tasks)) return true;
  if (satisfied <= set.required()) return false;
  for (auto kid = members.rbegin(); kid != members.rend() && tasks.empty(); ++kid)
    collect_active(entry, *kid, tasks);
  return !tasks.empty();
}

}  // namespace muster
