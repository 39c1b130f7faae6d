// The order of a simulation.
#include "engine/order/simulation_order.hpp"

#include <algorithm>
#include <cassert>

#include "engine/order/heap.hpp"
#include "engine/order/readiness.hpp"

namespace muster {
namespace {

JobAge age_of(const Session& s, JobId id) { return {s.cluster.job(id).created, s.cluster.job(id).uid}; }

}  // namespace

// ---------------------------------------------------------------- waiting jobs

WaitingJobs::WaitingJobs(Session& session, Who who) : session_(session), who_(who) {
  const Cluster& c = session.cluster;
  for (JobId j : c.pending_jobs()) {
    if (!stands_in_line(j)) continue;
    const QueueId queue = c.job(j).queue;
    Leaf& leaf = leaves_[queue];
    leaf.jobs.push_back({session.entry(j), session.chunk(j, true).wanted});
    leaf.by_age.push_back(j);
    entries_[j] = leaf.jobs.back().job;
  }
  for (auto& [queue, leaf] : leaves_) {
    queues_.push_back(queue);
    std::sort(leaf.jobs.begin(), leaf.jobs.end(),
              [&](const Waiting& a, const Waiting& b) { return session.job_before(a.job, b.job); });
    leaf.same_demand = std::all_of(leaf.jobs.begin(), leaf.jobs.end(),
                                   [&](const Waiting& w) { return w.wanted == leaf.jobs.front().wanted; });
    std::sort(leaf.by_age.begin(), leaf.by_age.end(), [&](JobId a, JobId b) { return is_younger(a, b); });
  }
  std::sort(queues_.begin(), queues_.end(), [&](QueueId a, QueueId b) {
    const Queue &x = c.queue(a), &y = c.queue(b);
    return x.meta.created != y.meta.created ? x.meta.created < y.meta.created : x.name < y.name;
  });
}

bool WaitingJobs::is_younger(JobId a, JobId b) const { return age_of(session_, b) < age_of(session_, a); }

bool WaitingJobs::stands_in_line(JobId id) const {
  const Cluster& c = session_.cluster;
  if (who_ == Who::kConsidered) return !why_not_considered(c, id);
  const QueueId queue = c.job(id).queue;
  return queue.valid() && c.queue(queue).usable && c.queue(queue).is_leaf();
}

void WaitingJobs::changed(JobId id) {
  const auto found = leaves_.find(session_.cluster.job(id).queue);
  if (found == leaves_.end()) return;
  Leaf& leaf = found->second;
  remove(leaf, id);
  if (session_.cluster.job(id).has_pending() && stands_in_line(id))
    add(leaf, {session_.entry(id), session_.chunk(id, true).wanted});
}

void WaitingJobs::remove(Leaf& leaf, JobId id) {
  const auto place = this->place(id);
  if (!place) return;
  auto at = leaf.jobs.begin() + static_cast<std::ptrdiff_t>(*place);
  const auto is_it = [&](const Waiting& w) { return w.job.job == id; };
  // Where its place in line has changed already, it still stands at the old one.
  if (at == leaf.jobs.end() || !is_it(*at)) at = std::find_if(leaf.jobs.begin(), leaf.jobs.end(), is_it);
  leaf.jobs.erase(at);
  entries_.erase(id);
  while (!leaf.by_age.empty() && !entries_.contains(leaf.by_age.back())) leaf.by_age.pop_back();
}

void WaitingJobs::add(Leaf& leaf, const Waiting& waiting) {
  const auto before = [&](const Waiting& a, const Waiting& b) { return session_.job_before(a.job, b.job); };
  const auto younger = [&](JobId a, JobId b) { return is_younger(a, b); };
  const JobId job = waiting.job.job;
  leaf.same_demand = leaf.same_demand && (leaf.jobs.empty() || waiting.wanted == leaf.jobs.front().wanted);
  leaf.jobs.insert(std::lower_bound(leaf.jobs.begin(), leaf.jobs.end(), waiting, before), waiting);
  leaf.by_age.insert(std::lower_bound(leaf.by_age.begin(), leaf.by_age.end(), job, younger), job);
  entries_[job] = waiting.job;
}

std::optional<std::size_t> WaitingJobs::place(JobId id) const {
  const auto entry = entries_.find(id);
  if (entry == entries_.end()) return std::nullopt;
  const auto& jobs = leaves_.find(session_.cluster.job(id).queue)->second.jobs;
  const auto at = std::partition_point(
      jobs.begin(), jobs.end(), [&](const Waiting& w) { return session_.job_before(w.job, entry->second); });
  return static_cast<std::size_t>(at - jobs.begin());
}

// ---------------------------------------------------------------- one simulation

SimulationOrder::Node* SimulationOrder::node_of(QueueId queue) {
  auto& node = by_queue_[queue];
  if (node != nullptr) return node;
  if (used_ == pool_.size()) pool_.push_back(std::make_unique<Node>());
  node = pool_[used_++].get();
  node->queue = queue;
  node->parent = nullptr;
  node->is_leaf = true;
  node->dirty = false;
  node->waiting = waiting_.of(queue);
  node->at = node->next_ours = 0;
  node->ours_in_waiting.clear();
  node->ours.clear();
  node->children.clear();
  return node;
}

void SimulationOrder::add(const Contestant& contestant) {
  Node* leaf = node_of(session_.cluster.job(contestant.job.job).queue);
  std::size_t place = 0;
  if (leaf->waiting != nullptr) {
    const auto& jobs = leaf->waiting->jobs;
    const auto stands_before = [&](const WaitingJobs::Waiting& w) {
      return session_.job_before(w.job, contestant.job);
    };
    place = static_cast<std::size_t>(std::partition_point(jobs.begin(), jobs.end(), stands_before) -
                                     jobs.begin());
    if (const auto own = waiting_.place(contestant.job.job)) leaf->ours_in_waiting.push_back(*own);
  }
  leaf->ours.push_back({contestant, place});
}

void SimulationOrder::start(std::span<const Contestant> contestants) {
  by_queue_.clear();
  root_.clear();
  leaves_.clear();
  used_ = 0;
  left_ = contestants.size();
  for (QueueId queue : waiting_.queues()) node_of(queue);
  for (const Contestant& c : contestants) add(c);
  for (std::size_t i = 0, leaves = used_; i < leaves; ++i) {
    Node* leaf = pool_[i].get();
    std::sort(leaf->ours.begin(), leaf->ours.end(), [&](const Node::Ours& a, const Node::Ours& b) {
      return session_.job_before(a.contestant.job, b.contestant.job);
    });
    std::sort(leaf->ours_in_waiting.begin(), leaf->ours_in_waiting.end());
    pass_own_places(*leaf);
    if (!is_empty(*leaf)) leaves_.push_back(leaf);
  }
  if (filled_ == Filled::kByAge)
    link_by_age();
  else
    for (Node* leaf : leaves_) link(leaf);
  for (Node* leaf : leaves_) mark_dirty(leaf);
}

// A queue comes in with its oldest job, and stands where it then belongs among those that are there.
void SimulationOrder::link_by_age() {
  std::sort(leaves_.begin(), leaves_.end(),
            [&](const Node* a, const Node* b) { return oldest(*a) < oldest(*b); });
  for (Node* leaf : leaves_) {
    there_ = oldest(*leaf);
    link(leaf);
  }
  there_.reset();
}

JobAge SimulationOrder::oldest(const Node& leaf) const {
  std::optional<JobAge> oldest;
  if (leaf.waiting != nullptr) oldest = age_of(session_, leaf.waiting->by_age.back());
  for (const Node::Ours& ours : leaf.ours)
    if (const JobAge age = age_of(session_, ours.contestant.job.job); !oldest || age < *oldest) oldest = age;
  return *oldest;
}

// What the best of the jobs wants that have come in so far.
const Demand& SimulationOrder::head_of_those_there(const Node& leaf) const {
  const auto is_there = [&](JobId job) { return age_of(session_, job) <= *there_; };
  const std::size_t waiting = leaf.waiting == nullptr ? 0 : leaf.waiting->jobs.size();
  std::size_t next = 0;
  for (std::size_t i = 0; i <= waiting; ++i) {
    for (; next < leaf.ours.size() && (leaf.ours[next].place <= i || i == waiting); ++next)
      if (is_there(leaf.ours[next].contestant.job.job)) return leaf.ours[next].contestant.wanted;
    const bool is_ours = std::binary_search(leaf.ours_in_waiting.begin(), leaf.ours_in_waiting.end(), i);
    if (i < waiting && !is_ours && is_there(leaf.waiting->jobs[i].job.job))
      return leaf.waiting->jobs[i].wanted;
  }
  assert(false && "a linked leaf has a job");
  return leaf.ours.front().contestant.wanted;
}

void SimulationOrder::link(Node* node) {
  const auto less = [&](const Node* a, const Node* b) { return before(*a, *b); };
  while (true) {
    const QueueId parent = session_.cluster.queue(node->queue).parent;
    if (!parent.valid()) return heap::push(root_, node, less);
    node->parent = node_of(parent);
    node->parent->is_leaf = false;
    const bool was_empty = node->parent->children.empty();
    heap::push(node->parent->children, node, less);
    if (!was_empty) return;
    node = node->parent;
  }
}

void SimulationOrder::mark_dirty(Node* node) {
  for (; node != nullptr; node = node->parent) node->dirty = true;
}

// A contestant does not also wait where it stood before.
void SimulationOrder::pass_own_places(Node& leaf) const {
  while (std::binary_search(leaf.ours_in_waiting.begin(), leaf.ours_in_waiting.end(), leaf.at)) ++leaf.at;
}

bool SimulationOrder::is_empty(const Node& node) const {
  if (!node.is_leaf) return node.children.empty();
  return node.next_ours == node.ours.size() &&
         (node.waiting == nullptr || node.at >= node.waiting->jobs.size());
}

bool SimulationOrder::ours_is_next(const Node& leaf) const {
  if (leaf.next_ours == leaf.ours.size()) return false;
  return leaf.waiting == nullptr || leaf.at >= leaf.waiting->jobs.size() ||
         leaf.ours[leaf.next_ours].place <= leaf.at;
}

const Demand& SimulationOrder::head_demand(const Node& node) const {
  const Node* leaf = &node;
  while (!leaf->is_leaf) leaf = leaf->children.front();
  if (there_) return head_of_those_there(*leaf);
  return ours_is_next(*leaf) ? leaf->ours[leaf->next_ours].contestant.wanted
                             : leaf->waiting->jobs[leaf->at].wanted;
}

bool SimulationOrder::before(const Node& a, const Node& b) const {
  const QueueSide left{.queue = a.queue, .wanted = head_demand(a)},
      right{.queue = b.queue, .wanted = head_demand(b)};
  if (const int order = session_.hooks.queue_order(left, right)) return order < 0;
  return is_older(session_.cluster.queue(a.queue).meta, session_.cluster.queue(b.queue).meta);
}

// The job at the head. Of jobs that are no contestants `at` tells the next.
JobId SimulationOrder::pop_leaf(Node& leaf) {
  if (ours_is_next(leaf)) {
    --left_;
    return leaf.ours[leaf.next_ours++].contestant.job.job;
  }
  const JobId job = leaf.waiting->jobs[leaf.at++].job.job;
  pass_own_places(leaf);
  return job;
}

// The others at the head that ask for the same.
void SimulationOrder::pass_run(Node& leaf) const {
  const auto& jobs = leaf.waiting->jobs;
  const std::size_t end = leaf.next_ours < leaf.ours.size() ? leaf.ours[leaf.next_ours].place : jobs.size();
  const Demand& wanted = jobs[leaf.at].wanted;
  if (leaf.waiting->same_demand) {
    leaf.at = end;
  } else {
    do {
      ++leaf.at;
      pass_own_places(leaf);
    } while (leaf.at < end && jobs[leaf.at].wanted == wanted);
  }
  pass_own_places(leaf);
}

SimulationOrder::Node* SimulationOrder::first_leaf() {
  const auto less = [&](const Node* a, const Node* b) { return before(*a, *b); };
  std::vector<Node*>* heap = &root_;
  while (true) {
    Node* node = heap->front();
    while (node->dirty) {
      heap::sift_down(*heap, heap->size(), less);
      node->dirty = false;
      node = heap->front();
    }
    if (node->is_leaf) return node;
    heap = &node->children;
  }
}

void SimulationOrder::unlink_empty(Node* node) {
  const auto less = [&](const Node* a, const Node* b) { return before(*a, *b); };
  while (node != nullptr && is_empty(*node)) {
    heap::pop(node->parent != nullptr ? node->parent->children : root_, less);
    node = node->parent;
  }
  mark_dirty(node);
}

JobId SimulationOrder::pop() {
  while (left_ > 0 && !root_.empty()) {
    Node* leaf = first_leaf();
    JobId job;
    if (ours_is_next(*leaf))
      job = pop_leaf(*leaf);
    else
      pass_run(*leaf);
    unlink_empty(leaf);
    if (job.valid()) return job;
  }
  return {};
}

JobId SimulationOrder::pop_any() {
  if (root_.empty()) return {};
  Node* leaf = first_leaf();
  const JobId job = pop_leaf(*leaf);
  unlink_empty(leaf);
  return job;
}

}  // namespace muster
