// Lists tasks once per action. During the action, tasks may leave their nodes, but none starts to run.
#include "plugins/generators/movable_work.hpp"

#include <algorithm>

#include "engine/place/node_finder.hpp"

namespace muster::plugins {

void MovableWork::start(Session& session, VictimPool& pool, const Candidates& candidates) {
  candidates_ = &candidates;
  asked_.clear();
  exempt_.clear();
  with_.clear();
  if (session_ != nullptr) return;
  session_ = &session;
  pool_ = &pool;
  order_ = std::make_unique<VictimOrder>(session, pool);
  list_tasks();
}

double MovableWork::work_of(TaskId task) const {
  const Cluster& c = session_->cluster;
  const auto& start = c.job(c.task(task).job).last_start;
  return start ? std::max(0.0, gpu_hours(c.shape_of(task).gpu_units(), session_->now - *start)) : 0;
}

// If plans do not settle within a cycle, a task that was placed in this cycle keeps its place; otherwise two
// tasks could swap places in every cycle.
void MovableWork::list_tasks() {
  const Cluster& c = session_->cluster;
  Stamps<TaskId> is_new;
  if (!session_->settings.compatibility.settled_plans)
    for (const BindDecision& bind : session_->decisions.binds) is_new.insert(bind.task);
  by_node_.resize(c.nodes().size());
  for (QueueId leaf : pool_->leaves())
    for (const JobEntry& entry : pool_->of(leaf))
      for (const PodSet& set : c.job(entry.job).pod_sets)
        for (TaskId t : set.tasks)
          if (const Placement& at = c.placement(t);
              at.node.valid() && in(at.status, kActiveAllocated) && !is_new.contains(t))
            by_node_[at.node].push_back(t);
}

bool MovableWork::is_exempt(JobId job) {
  if (asked_.insert(job) && candidates_->eviction_refusal(job)) exempt_.insert(job);
  return exempt_.contains(job);
}

void MovableWork::on(NodeId node, const Stamps<TaskId>& gone, std::vector<TaskId>& tasks) {
  tasks.clear();
  for (TaskId t : by_node_[node]) {
    const Placement& at = session_->cluster.placement(t);
    if (at.node == node && in(at.status, kActiveAllocated) && !gone.contains(t) && !with(t).empty() &&
        has_other_place(t, node))
      tasks.push_back(t);
  }
}

std::span<const TaskId> MovableWork::with(TaskId task) {
  const JobId job = session_->cluster.task(task).job;
  if (is_exempt(job)) return {};
  const auto [at, is_new] = with_.try_emplace(task);
  if (is_new) {
    std::vector<TaskId> taken;
    for (const VictimOrder::Tasks& batch : order_->take_apart(job)) {
      taken.insert(taken.end(), batch.begin(), batch.end());
      if (std::find(batch.begin(), batch.end(), task) == batch.end()) continue;
      at->second = std::move(taken);
      break;
    }
  }
  return at->second;
}

bool MovableWork::has_other_place(TaskId task, NodeId node) {
  const Cluster& c = session_->cluster;
  Places& places = places_[c.task(task).shape];
  if (const std::uint64_t now = c.node_table().journal().end(); places.as_of != now + 1) {
    NodeCursor nodes = session_->finder().candidates(task, nullptr);
    places = {.as_of = now + 1, .first = nodes.next(), .second = nodes.next()};
  }
  return (places.first.valid() && places.first != node) || places.second.valid();
}

}  // namespace muster::plugins
