// A leaf reads the pool's sorted list once and merges it with a heap of the jobs that were taken apart.
#include "engine/order/victim_order.hpp"

#include <algorithm>
#include <utility>

#include "engine/order/gang_view.hpp"

namespace muster {

void VictimLeaf::clear() {
  untouched = {};
  at = 0;
  begun.clear();
  has_head = false;
  popped = {};
}

QueueSide VictimOrder::side(QueueId queue, const VictimLeaf& best) const {
  QueueSide side{.queue = queue};
  side.victims = best.popped;
  if (best.has_head) side.victims += best.head.held;
  return side;
}

void VictimOrder::start(const Candidates& candidates) {
  candidates_ = &candidates;
  left_ = candidates.at_most;
  begun_ = 0;
  start_over();
  gone_.clear();
  session_.stats.steps += kStepsOfAQueue * std::ssize(candidates.leaves);
  for (QueueId leaf : candidates.leaves) {
    if (pool_.of(leaf).empty()) continue;
    Node* node = node_of(leaf);
    node->leaf.untouched = pool_.of(leaf);
    fill_head(node->leaf);
    if (node->leaf.empty()) continue;
    link(node);
    touch(node);
  }
}

// The better of the next untouched job and the next job that was taken apart.
void VictimOrder::fill_head(VictimLeaf& leaf) const {
  const auto untouched = [&] { return leaf.at < leaf.untouched.size(); };
  while (untouched() && candidates_->eviction_refusal(leaf.untouched[leaf.at].job)) ++leaf.at;
  leaf.has_head = untouched() || !leaf.begun.empty();
  if (!leaf.has_head) return;
  if (untouched() && (leaf.begun.empty() || job_less(leaf.untouched[leaf.at], leaf.begun.front().job))) {
    const JobEntry job = leaf.untouched[leaf.at++];
    leaf.head = {.job = job, .taken = {}, .held = pool_.held(job.job)};
  } else {
    leaf.head = heap::pop(leaf.begun, by_victim_order());
  }
}

std::optional<VictimOrder::Popped> VictimOrder::pop() {
  while (!empty()) {
    if (left_ == 0 && begun_ == 0) return std::nullopt;  // the limit on the number of jobs is reached
    pop_entry();
    if (!popped_.is_begun && left_ == 0) continue;
    Popped result{.job = popped_.job.job, .tasks = {}};
    collect_victims(result.tasks);
    if (result.tasks.empty()) continue;
    if (!popped_.is_begun && left_ > 0) --left_;
    popped_.is_begun = true;
    return result;
  }
  return std::nullopt;
}

void VictimOrder::pop_entry() {
  Node* node = first_leaf();
  popped_ = std::move(node->leaf.head);
  begun_ -= popped_.is_begun;
  node->leaf.popped += popped_.held;
  fill_head(node->leaf);
  settle(node);
}

bool VictimOrder::take(const Popped& popped) {
  for (TaskId t : popped.tasks) lose(t);
  return push_back();
}

bool VictimOrder::skip(const Popped& popped, const Stamps<TaskId>& gone) {
  std::size_t lost = 0;
  for (const PodSet& p : session_.cluster.job(popped.job).pod_sets)
    for (TaskId t : p.tasks)
      if (gone.contains(t) && is_active(t)) lose(t), ++lost;
  return push_back() || lost > popped.tasks.size();
}

std::vector<VictimOrder::Tasks> VictimOrder::take_apart(JobId job) {
  std::vector<Tasks> steps;
  gone_.clear();
  popped_ = {.job = session_.entry(job)};
  while (true) {
    Tasks tasks;
    collect_victims(tasks);
    if (tasks.empty()) return steps;
    for (TaskId t : tasks) lose(t);
    steps.push_back(std::move(tasks));
  }
}

// The task leaves the job that was popped.
void VictimOrder::lose(TaskId t) {
  const Cluster& c = session_.cluster;
  if (popped_.taken.empty()) popped_.taken.start(c.job(popped_.job.job).pod_sets.size());
  gone_.insert(t);
  ++popped_.taken[c.task(t).pod_set];
  if (in(c.placement(t).status, kAllocatedSet)) popped_.held -= c.shape_of(t).charge;
}

// Puts what is left of the popped job back into its leaf. Returns false if nothing is left.
bool VictimOrder::push_back() {
  VictimEntry rest = std::move(popped_);
  const Job& job = session_.cluster.job(rest.job.job);
  const GangView view(session_, job, rest.taken);
  if (view.active() == 0) return false;
  rest.job = session_.entry(rest.job.job, view.elastic_state());
  begun_ += rest.is_begun;
  Node* node = node_of(job.queue);
  VictimLeaf& leaf = node->leaf;
  if (leaf.has_head) heap::push(leaf.begun, std::exchange(leaf.head, VictimEntry{}), by_victim_order());
  heap::push(leaf.begun, std::move(rest), by_victim_order());
  leaf.head = heap::pop(leaf.begun, by_victim_order());
  leaf.has_head = true;
  if (!node->is_linked) link(node);
  touch(node);
  return true;
}

// ---------------------------------------------------------------- what one eviction takes: actions.md 3.4

bool VictimOrder::is_active(TaskId t) const {
  return in(session_.cluster.placement(t).status, kActiveAllocated) && !gone_.contains(t);
}

void VictimOrder::collect_victims(Tasks& tasks) const {
  const Job& job = session_.cluster.job(popped_.job.job);
  if (job.pod_sets.size() == 1 && job.pod_sets[0].tasks.size() == 1 && job.is_preemptible()) {  // everything
    if (const TaskId t = job.pod_sets[0].tasks[0]; is_active(t)) tasks.push_back(t);
    return;
  }
  const Member root{.is_pod_set = false, .at = 0};
  if (collect_surplus(root, tasks)) return;
  // The core of a semi-preemptible job is not taken.
  if (job.is_preemptible()) collect_active(root, tasks);
}

void VictimOrder::collect_active(const Member& m, Tasks& tasks) const {
  const JobId job = popped_.job.job;
  if (m.is_pod_set) {
    for (TaskId t : session_.ordered_tasks(job, m.at))
      if (is_active(t)) tasks.push_back(t);
    return;
  }
  for (const Member& kid : session_.cluster.job(job).sets[m.at].members) collect_active(kid, tasks);
}

bool VictimOrder::collect_surplus(const Member& m, Tasks& tasks) const {
  const Job& job = session_.cluster.job(popped_.job.job);
  const GangView view(session_, job, popped_.taken);
  if (m.is_pod_set) {
    if (view.active(m.at) <= job.pod_sets[m.at].minimum) return false;
    const auto ordered = session_.ordered_tasks(popped_.job.job, m.at);
    const auto last = std::find_if(ordered.rbegin(), ordered.rend(), [&](TaskId t) { return is_active(t); });
    tasks.push_back(*last);
    return true;
  }
  const GroupSet& set = job.sets[m.at];
  const std::int32_t satisfied = view.satisfied_members(set);
  if (satisfied == 0) return false;
  constexpr auto kBackwards = GangView::Way::kBackwards;
  if (view.any_in_order(set, kBackwards, [&](const Member& kid) { return collect_surplus(kid, tasks); }))
    return true;
  if (satisfied <= set.required()) return false;
  return view.any_in_order(set, kBackwards, [&](const Member& kid) {
    collect_active(kid, tasks);
    return !tasks.empty();
  });
}

}  // namespace muster
