// Starts, ends and recreates pods between two cycles of a simulation.
#include "sim/embedded_cluster.hpp"

namespace muster {

bool stays_terminating(const Cluster& cluster, const Task& task) {
  return task.stays_terminating || (task.job.valid() && cluster.job(task.job).stays_terminating);
}

namespace {

// Pods that were terminating before the cycle, are not stuck, and are not annotated to stay.
std::vector<TaskId> ended(const Cluster& cluster) {
  std::vector<TaskId> tasks;
  for (TaskId t : ids(cluster.tasks())) {
    const Task& task = cluster.task(t);
    if (task.alive && task.observed.deletion && cluster.placement(t).status == TaskStatus::kReleasing &&
        !stays_terminating(cluster, task))
      tasks.push_back(t);
  }
  return tasks;
}

}  // namespace

void EmbeddedCluster::carry_out(const Cluster&, const Decisions& decisions, TimePoint) {
  bound_ = decisions.binds;
  evicted_.clear();
  for (const EvictDecision& e : decisions.evictions) evicted_.push_back(e.task);
}

void EmbeddedCluster::update(Cluster& cluster, TimePoint now) {
  for (TaskId t : ended(cluster)) {
    cluster.release_claims(t);
    const Task& task = cluster.task(t);
    if (task.job.valid())
      cluster.observe(t, {.phase = PodPhase::kPending});
    else
      cluster.remove(PodObject::kKind, std::string(task.ns), std::string(task.name));
  }
  for (const BindDecision& b : bound_) {
    cluster.reserve_claims(b.task, b.holding);
    cluster.observe(b.task, {.phase = PodPhase::kRunning, .node = b.node, .holding = b.holding});
  }
  for (TaskId t : evicted_) {
    Observed seen = cluster.task(t).observed;
    if (stays_terminating(cluster, cluster.task(t))) {
      seen.deletion = now;
    } else {
      cluster.release_claims(t);
      seen = {.phase = PodPhase::kPending};
    }
    cluster.observe(t, seen);
  }
  bound_.clear();
  evicted_.clear();
}

}  // namespace muster
