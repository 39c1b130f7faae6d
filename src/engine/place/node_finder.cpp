// Candidate nodes: from the index of the task's shape, or by scoring all nodes.
#include "engine/place/node_finder.hpp"

#include <algorithm>
#include <limits>

#include "engine/place/shared_gpus.hpp"

namespace muster {

NodeCursor NodeFinder::candidates(TaskId task, const Bitmap* allowed) {
  if (session_.settings.index_nodes && !session_.hooks.node_score.depends_on_task(task)) {
    NodeIndex& index = index_of(session_.cluster.task(task).shape);
    index.update();
    if (index.is_exact())
      return NodeCursor(session_, task, index, allowed, session_.hooks.node_score.table(task));
  }
  return NodeCursor(session_, task, allowed);
}

bool NodeFinder::is_larger_than_all_room(TaskId task) {
  const Shape& shape = session_.cluster.shape_of(task);
  if (shape.is_shared() || shape.claimed_gpus > 0) return false;
  const auto wanted = std::ranges::find(shape.request, kGpu, &Amount::kind);
  if (wanted == shape.request.end()) return false;
  gpus_.update();
  return wanted->units > gpus_.most_whole();
}

NodeIndex& NodeFinder::index_of(ShapeId shape) {
  // Enough for any workload mix; beyond that, memory matters more than rebuilding.
  constexpr std::size_t kMost = 512;
  if (indexes_.size() >= kMost && !indexes_.contains(shape)) indexes_.clear();
  auto& index = indexes_[shape];
  if (index == nullptr) index = std::make_unique<NodeIndex>(session_, shape);
  return *index;
}

std::optional<DomainShortage> NodeFinder::nearest_device(TaskId task, const Bitmap* allowed) {
  if (!session_.cluster.shape_of(task).is_shared()) return std::nullopt;
  devices_.update();
  if (allowed != nullptr) return nearest_shared_gpu(session_, task, allowed, devices_);
  const auto [known, is_new] = nearest_.try_emplace(session_.cluster.task(task).shape);
  const std::uint64_t as_of = session_.cluster.node_table().journal().end();
  if (is_new || known->second.as_of != as_of)
    known->second = {as_of, nearest_shared_gpu(session_, task, nullptr, devices_)};
  return known->second.device;
}

// ---------------------------------------------------------------- without an index

NodeCursor::NodeCursor(const Session& session, TaskId task, const Bitmap* allowed)
    : session_(session), task_(task), allowed_(allowed) {
  const ShapeId shape = session.cluster.task(task).shape;
  std::vector<NodeId> nodes;
  for (NodeId n : session.cluster.nodes_by_name())
    if (allowed == nullptr || allowed->test(session.cluster.rank(n))) nodes.push_back(n);
  std::vector<double> scores(nodes.size(), 0);
  session.hooks.node_score.score(task, shape, nodes, scores);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (scores[i] != -std::numeric_limits<double>::infinity())
      scored_.push_back({scores[i], session.cluster.rank(nodes[i]), nodes[i]});
  std::sort(scored_.begin(), scored_.end(), [](const Scored& a, const Scored& b) {
    return a.score != b.score ? a.score > b.score : a.rank < b.rank;
  });
}

NodeId NodeCursor::next_scored() {
  const ShapeId shape = session_.cluster.task(task_).shape;
  while (at_ < scored_.size()) {
    const NodeId node = scored_[at_++].node;
    auto refusal = refusal_of(session_, shape, node);
    if (!refusal) return node;
    refused(node, *std::move(refusal));
  }
  return {};
}

// ---------------------------------------------------------------- with an index

NodeCursor::~NodeCursor() {
  if (index_ != nullptr) index_->restore();
}

NodeId NodeCursor::next_indexed() {
  if (last_.valid()) index_->mask(last_);
  last_ = scores_ != nullptr    ? index_->best_of(allowed_, scores_)
          : allowed_ == nullptr ? index_->best()
                                : best_allowed();
  return last_;
}

// The best node of all is usually allowed. All allowed nodes are examined only if it is not.
NodeId NodeCursor::best_allowed() {
  const NodeId best = index_->best();
  if (!best.valid() || allowed_->test(session_.cluster.rank(best))) return best;
  return index_->best_of(allowed_, nullptr);
}

NodeId NodeCursor::next() { return index_ != nullptr ? next_indexed() : next_scored(); }

bool NodeCursor::park(NodeId node) {
  if (index_ == nullptr) return false;
  index_->park(node);
  last_ = {};
  return true;
}

std::vector<RefusalCount> NodeCursor::refusals() const {
  const bool some_parked = index_ != nullptr && index_->has_parked();
  if (index_ != nullptr && refused_.empty() && !some_parked) return index_->refusals(task_, allowed_);
  RefusalRows rows;
  if (some_parked)
    index_->parked().for_each([&](std::size_t rank) {
      if (allowed_ != nullptr && !allowed_->test(rank)) return;
      const NodeId node = session_.cluster.nodes_by_name()[rank];
      rows.add(named(session_, task_, node, {.rule = NodeRule::kPodAntiAffinity, .kind = {}}), 0);
    });
  for (const auto& [node, refusal] : refused_) rows.add(named(session_, task_, node, refusal), 0);
  if (index_ != nullptr) rows.add_all(index_->refusals(task_, allowed_));
  return rows.counts();
}

}  // namespace muster
