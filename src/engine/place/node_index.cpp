// A tournament tree over node keys: a node that changed replays its matches up the tree.
#include "engine/place/node_index.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "engine/place/fit.hpp"

namespace muster {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

}  // namespace

std::optional<NodeRefusal> refusal_now(const Session& session, ShapeId shape, NodeId node) {
  if (const auto s = short_of_eventually(session.cluster, session.cluster.shape(shape), node))
    return NodeRefusal{.rule = s->rule, .kind = s->kind};
  return session.hooks.state_filter(shape, node);
}

std::optional<NodeRefusal> refusal_of(const Session& session, ShapeId shape, NodeId node) {
  if (auto refusal = refusal_now(session, shape, node)) return refusal;
  return session.hooks.shape_filter(shape, node);
}

NodeIndex::NodeIndex(const Session& session, ShapeId shape)
    : session_(session), shape_(shape), ledger_(session, shape, shape_filter_) {}

void NodeIndex::update() {
  ++updates_;
  if (std::exchange(parked_since_, session_.departures()) != session_.departures()) unpark();
  journal_.read(
      session_.cluster, [&] { build(); }, [&](NodeId node) { change(node); });
}

// DemandIndex a node once, however often it changed.
void NodeIndex::change(NodeId node) {
  const std::uint32_t rank = session_.cluster.rank(node);
  if (std::exchange(updated_in_[rank], updates_) == updates_) return;
  ledger_.changed(rank);
  parked_.reset(rank);
  forget(rank);
  evaluate(rank);
  replay_up(rank);
}

void NodeIndex::build() {
  const std::size_t nodes = session_.cluster.nodes_by_name().size();
  leaves_ = std::bit_ceil(std::max<std::size_t>(nodes, 1));
  keys_.assign(leaves_, kNever);
  exact_.assign(nodes, true);
  shape_filter_.assign(nodes, NodeAnswer::kNotAsked);
  updated_in_.assign(nodes, 0);
  inexact_ = 0;
  parked_ = Bitmap(nodes);
  has_parked_ = false;
  parked_keys_.assign(nodes, kNever);
  ledger_.restart();
  tree_.resize(2 * leaves_);
  for (std::uint32_t rank = 0; rank < nodes; ++rank) evaluate(rank);
  for (std::size_t i = 0; i < leaves_; ++i) tree_[leaves_ + i] = static_cast<std::uint32_t>(i);
  for (std::size_t i = leaves_ - 1; i > 0; --i) tree_[i] = winner(tree_[2 * i], tree_[2 * i + 1]);
}

void NodeIndex::evaluate(std::uint32_t rank) {
  const NodeId node = session_.cluster.nodes_by_name()[rank];
  keys_[rank] = kNever;
  if (is_refused(rank, node)) return;
  const auto key = session_.hooks.node_score.key(shape_, node);
  keys_[rank] = key.value_or(0);
  exact_[rank] = key.has_value();
  inexact_ += !exact_[rank];
}

// Like refusal_of(), without the details.
bool NodeIndex::is_refused(std::uint32_t rank, NodeId node) {
  NodeAnswer& answer = shape_filter_[rank];
  if (answer == NodeAnswer::kRefuses) return true;
  if (short_of_eventually(session_.cluster, session_.cluster.shape(shape_), node)) return true;
  if (answer == NodeAnswer::kNotAsked)
    answer = session_.hooks.shape_filter(shape_, node) ? NodeAnswer::kRefuses : NodeAnswer::kAllows;
  return answer == NodeAnswer::kRefuses || session_.hooks.state_filter(shape_, node);
}

void NodeIndex::forget(std::uint32_t rank) {
  inexact_ -= !exact_[rank];
  exact_[rank] = true;
}

// Of two leaves the left one comes first by name, so it wins ties.
std::uint32_t NodeIndex::winner(std::uint32_t a, std::uint32_t b) const {
  return keys_[a] >= keys_[b] ? a : b;
}

// Stops where a different node wins and won before, because nothing changes further up.
void NodeIndex::replay_up(std::uint32_t rank) {
  for (std::size_t i = (leaves_ + rank) / 2; i > 0; i /= 2) {
    const std::uint32_t won = winner(tree_[2 * i], tree_[2 * i + 1]);
    if (std::exchange(tree_[i], won) == won && won != rank) return;
  }
}

NodeId NodeIndex::best() const {
  const std::uint32_t rank = tree_[1];
  if (leaves_ == 1) return keys_[0] == kNever ? NodeId() : session_.cluster.nodes_by_name()[0];
  return keys_[rank] == kNever ? NodeId() : session_.cluster.nodes_by_name()[rank];
}

template <class Visit>
void NodeIndex::for_each_rank(const Bitmap* ranks, Visit visit) const {
  if (ranks != nullptr) return ranks->for_each(visit);
  for (std::size_t rank = 0; rank < exact_.size(); ++rank) visit(rank);
}

NodeId NodeIndex::best_of(const Bitmap* ranks, const NodeScores* first) const {
  const auto nodes = session_.cluster.nodes_by_name();
  NodeId best;
  double best_first = kNever, best_key = kNever;
  for_each_rank(ranks, [&](std::size_t rank) {
    if (keys_[rank] == kNever) return;
    const double tier = first != nullptr ? (*first)[nodes[rank]] : 0;
    if (tier < best_first || tier == kNever || (tier == best_first && keys_[rank] <= best_key)) return;
    best = nodes[rank], best_first = tier, best_key = keys_[rank];
  });
  return best;
}

void NodeIndex::mask(NodeId node) {
  const std::uint32_t rank = session_.cluster.rank(node);
  masked_.emplace_back(rank, keys_[rank]);
  keys_[rank] = kNever;
  replay_up(rank);
}

void NodeIndex::park(NodeId node) {
  const std::uint32_t rank = session_.cluster.rank(node);
  has_parked_ = true;
  parked_.set(rank);
  parked_keys_[rank] = std::exchange(keys_[rank], kNever);
  replay_up(rank);
}

void NodeIndex::unpark() {
  if (!std::exchange(has_parked_, false)) return;
  parked_.for_each([&](std::size_t rank) {
    keys_[rank] = parked_keys_[rank];
    replay_up(static_cast<std::uint32_t>(rank));
  });
  parked_.clear();
}

void NodeIndex::restore() {
  for (; !masked_.empty(); masked_.pop_back()) {
    keys_[masked_.back().first] = masked_.back().second;
    replay_up(masked_.back().first);
  }
}

}  // namespace muster
