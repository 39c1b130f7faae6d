// Accumulating victims.
#include "engine/scenario_generator.hpp"

#include <algorithm>

#include "model/selectors.hpp"

namespace muster {
namespace {

std::vector<std::int64_t> gpu_demands(const Cluster& cluster, std::span<const TaskId> tasks) {
  std::vector<std::int64_t> demands;
  for (TaskId t : tasks) demands.push_back(cluster.shape_of(t).charge.units[index(Accounted::kGpus)]);
  return demands;
}

bool is_selective(const Shape& shape) {
  return !shape.constraints.node_selector.empty() || shape.constraints.has_required_affinity;
}

}  // namespace

VictimAccumulator::VictimAccumulator(Session& session, VictimPool& pool, const GpuRoom& room,
                                     const Candidates& candidates, const Probe& probe)
    : session_(session), probe_(probe), victims_(session, pool, candidates) {
  room_.start(session.cluster, room, gpu_demands(session.cluster, probe.tasks));
  for (TaskId t : probe.recorded->tasks())
    if (recorded_.insert(t)) room_.free(session.cluster.placement(t).node, freed_gpus(session.cluster, t));
  for (TaskId t : probe.tasks) {
    const ShapeId shape = session.cluster.task(t).shape;
    if (is_selective(session.cluster.shape(shape)) &&
        std::find(unmet_.begin(), unmet_.end(), shape) == unmet_.end())
      unmet_.push_back(shape);
  }
  if (unmet_.empty()) return;
  probe.feasible->for_each([&](std::size_t rank) { meet(session.cluster.nodes_by_name()[rank]); });
  for (TaskId t : probe.recorded->tasks()) meet(session.cluster.placement(t).node);
}

// Selective tasks that the node could take have found one.
void VictimAccumulator::meet(NodeId n) {
  const Cluster& c = session_.cluster;
  if (!c.node(n).present) return;
  std::erase_if(unmet_, [&](ShapeId shape) { return selects(c.shape(shape).constraints, c.node(n)); });
}

bool VictimAccumulator::next() {
  if (!started_) {
    started_ = true;
    if (passes()) return true;
  }
  while (add_batch()) {
    if (passes()) return true;
    ++filtered;
  }
  return false;
}

// One more batch of victims; false when there are no more.
bool VictimAccumulator::add_batch() {
  while (auto popped = victims_.pop()) {
    const bool is_recorded = std::any_of(popped->tasks.begin(), popped->tasks.end(),
                                         [&](TaskId t) { return recorded_.contains(t); });
    if (is_recorded) {
      victims_.skip(*popped, recorded_);
      continue;
    }
    victims_.take(*popped);
    batches_.append(popped->job, popped->tasks);
    for (TaskId t : popped->tasks) {
      const NodeId node = session_.cluster.placement(t).node;
      room_.free(node, freed_gpus(session_.cluster, t));
      if (!unmet_.empty()) meet(node);
    }
    return true;
  }
  return false;
}

bool VictimAccumulator::passes() const { return unmet_.empty() && room_.passes(); }

}  // namespace muster
