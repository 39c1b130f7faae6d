// Adds victims until the GPUs they free, and the nodes they leave, could be enough for the preemptor.
#include "engine/search/scenario_generator.hpp"

#include <algorithm>

#include "model/selectors.hpp"

namespace muster {
namespace {

// The room of a node is only copied, which costs an eighth of a step.
constexpr std::int64_t kNodesInAStep = 8;

bool is_selective(const Shape& shape) {
  return !shape.constraints.node_selector.empty() || shape.constraints.has_required_affinity;
}

}  // namespace

void add_unseen(const Batches& batches, Stamps<TaskId>& seen, std::vector<TaskId>& tasks) {
  for (TaskId t : batches.tasks())
    if (seen.insert(t)) tasks.push_back(t);
}

void add_needed(const Cluster& cluster, const Batches& batches, Stamps<TaskId>& seen, Batches& needed) {
  for (std::size_t i = 0; i < batches.size(); ++i) {
    bool is_needed = false;
    for (TaskId t : batches[i].tasks) {
      const TaskStatus status = cluster.placement(t).status;
      const bool is_away = status == TaskStatus::kReleasing || status == TaskStatus::kPipelined;
      is_needed = (is_away && seen.insert(t)) || is_needed;
    }
    if (is_needed) needed.append(batches[i].job, batches[i].tasks);
  }
}

void VictimAccumulator::begin(const Candidates& candidates) {
  candidates_ = &candidates;
  can_replay_ = false;
}

void VictimAccumulator::start(const Probe& probe) {
  const Cluster& c = session_.cluster;
  probe_ = probe;
  if (!can_replay_ || !session_.settings.replay_victims) {
    victims_.start(*candidates_);
    served_.clear();
    can_replay_ = true;
  }
  replayed_ = 0;
  batches_.clear();
  recorded_.clear();
  unmet_.clear();
  started_ = false;
  room_.start(c, free_, probe.tasks);
  session_.stats.steps += std::ssize(c.nodes_by_name()) / kNodesInAStep;
  domains_.start(session_, labels_, free_, probe.preemptor, probe.tasks);
  for (TaskId t : probe.recorded->tasks())
    if (recorded_.insert(t)) free(t);
  recorded_room_ = room_;
  for (TaskId t : probe.tasks) {
    const ShapeId shape = c.task(t).shape;
    if (is_selective(c.shape(shape)) && std::find(unmet_.begin(), unmet_.end(), shape) == unmet_.end())
      unmet_.push_back(shape);
  }
  if (unmet_.empty()) return;
  probe.feasible->for_each([&](std::size_t rank) { meet(c.nodes_by_name()[rank]); });
  for (TaskId t : probe.recorded->tasks()) meet(c.placement(t).node);
}

void VictimAccumulator::free(TaskId victim) {
  const NodeId node = session_.cluster.placement(victim).node;
  const std::int64_t gpus = freed_gpus(session_.cluster, victim);
  room_.free(node, gpus);
  domains_.free(node, gpus);
}

// Removes from unmet_ the shapes that may run on the node.
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
  while (grow())
    if (passes()) return true;
  return false;
}

bool VictimAccumulator::grow() {
  const auto batch = next_batch();
  if (!batch) return false;
  batches_.append(batch->job, batch->tasks);
  for (TaskId t : batch->tasks) {
    free(t);
    if (!unmet_.empty()) meet(session_.cluster.placement(t).node);
  }
  return true;
}

// The next batch that contains no recorded victim.
std::optional<Batches::Batch> VictimAccumulator::next_batch() {
  const auto is_recorded = [&](TaskId t) { return recorded_.contains(t); };
  while (replayed_ < served_.size()) {
    const Batches::Batch batch = served_[replayed_++];
    if (std::none_of(batch.tasks.begin(), batch.tasks.end(), is_recorded)) return batch;
  }
  while (auto popped = victims_.pop()) {
    served_.append(popped->job, popped->tasks);
    ++replayed_;
    const bool skips = std::any_of(popped->tasks.begin(), popped->tasks.end(), is_recorded);
    if (skips ? victims_.skip(*popped, recorded_) : victims_.take(*popped)) can_replay_ = false;
    if (!skips) return served_[served_.size() - 1];
  }
  return std::nullopt;
}

bool VictimAccumulator::passes() const { return unmet_.empty() && domains_.passes() && room_.passes(); }

}  // namespace muster
