// Walks the tree level by level, and sorts the children of a domain when they are first needed.
#include "plugins/topology/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace muster::plugins {
namespace {

constexpr double kStep = 100'000;  // outweighs all other scores of a node
constexpr double kScoreSteps = 10;

}  // namespace

void DomainSearch::start(DomainQuestion question) {
  q_ = std::move(question);
  set_ = Bitmap(cluster_.nodes_by_name().size());
  has_scores_ = are_scored_ = false;
  q_.room->update();
  pods_ =
      q_.demand.is_homogeneous && !q_.demand.wants_nothing() ? &q_.room->pods(q_.demand.largest) : nullptr;
  top_ = last_ = common_domain();
  is_over_ = !is_enough(top_);
  begin_level(q_.levels.finest());
}

// The deepest domain that contains all nodes in question, but not finer than the preferred level.
TopologyDomainId DomainSearch::common_domain() const {
  const TopologyTree& tree = *q_.tree;
  TopologyDomainId common;
  const auto join = [&](std::size_t rank) {
    const TopologyDomainId leaf = tree.leaf(rank);
    if (leaf.valid() && common != TopologyTree::root())
      common = common.valid() ? tree.common(common, leaf) : leaf;
  };
  if (q_.allowed != nullptr)
    q_.allowed->for_each(join);
  else
    for (std::size_t rank = 0; rank < set_.size() && common != TopologyTree::root(); ++rank) join(rank);
  if (!common.valid()) return TopologyTree::root();
  if (q_.levels.preferred) common = tree.ancestor(common, *q_.levels.preferred);
  for (TopologyDomainId d = common; d.valid(); d = tree[d].parent)
    if (!tree[d].is_named) common = tree[d].parent;
  return common;
}

bool DomainSearch::is_enough(TopologyDomainId d) const {
  if (q_.demand.wants_nothing()) return !q_.tree->ranks(d).empty();
  return pods_ != nullptr ? (*pods_)[d] >= q_.demand.tasks : q_.room->ratio(q_.demand, d) <= 1;
}

// A domain without a running pod, or with too little room, is skipped with everything below it.
bool DomainSearch::may_hold(TopologyDomainId d) const {
  if (q_.is_anchored && level_of(d) >= q_.levels.required) {
    const TopologyDomainId home = q_.tree->ancestor(d, q_.levels.required);
    if (!std::binary_search(q_.anchors.begin(), q_.anchors.end(), home)) return false;
  }
  return pods_ == nullptr || is_enough(d);
}

// ---------------------------------------------------------------- enumeration

const Bitmap* DomainSearch::next() {
  if (is_over_) return nullptr;
  q_.room->update();
  if (pods_ != nullptr) pods_ = &q_.room->pods(q_.demand.largest);
  if (level_ < level_of(top_)) {  // the required level is above the domain that all nodes share
    is_over_ = true;
    return (q_.uses_finer_domain || q_.demand.wants_nothing()) && may_hold(top_) ? offer(top_) : nullptr;
  }
  for (; level_ >= std::max(q_.levels.required, level_of(top_)); begin_level(level_ - 1)) {
    if (const TopologyDomainId d = next_of_level(); d.valid()) return offer(d);
    if (level_ == 0) break;
  }
  is_over_ = true;
  return nullptr;
}

void DomainSearch::begin_level(std::uint32_t level) {
  level_ = level;
  order_.assign(1, top_.index());
  frames_.assign(1, {0, 1});
}

TopologyDomainId DomainSearch::next_of_level() {
  while (!frames_.empty()) {
    Frame& frame = frames_.back();
    if (frame.at == frame.end) {
      frames_.pop_back();
      order_.resize(frames_.empty() ? 0 : frames_.back().end);
      continue;
    }
    const TopologyDomainId d(order_[frame.at++]);
    if (!may_hold(d)) continue;
    if (level_of(d) < level_)
      frames_.push_back(sort_children(d));
    else if (is_enough(d))
      return d;
  }
  return {};
}

DomainSearch::Frame DomainSearch::sort_children(TopologyDomainId d) {
  ratios_.clear();
  q_.tree->for_each_child(
      d, [&](TopologyDomainId c) { ratios_.emplace_back(-q_.room->ratio(q_.demand, c), c.index()); });
  std::sort(ratios_.begin(), ratios_.end());  // siblings are sorted by id, so their index breaks ties
  const std::size_t begin = order_.size();
  for (const auto& [ratio, child] : ratios_) order_.push_back(child);
  return {begin, order_.size()};
}

const Bitmap* DomainSearch::offer(TopologyDomainId d) {
  last_ = d;
  set_.clear();
  for (std::uint32_t rank : q_.tree->ranks(d))
    if (q_.allowed == nullptr || q_.allowed->test(rank)) set_.set(rank);
  has_scores_ = is_preferring() && level_of(d) < *q_.levels.preferred;
  if (has_scores_) score_nodes();
  return &set_;
}

// ---------------------------------------------------------------- scores

void DomainSearch::collect_preferred(TopologyDomainId d, std::vector<TopologyDomainId>& found) {
  if (level_of(d) == *q_.levels.preferred) return found.push_back(d);
  const std::size_t kept = order_.size();
  const Frame children = sort_children(d);
  for (std::size_t i = children.at; i < children.end; ++i)
    collect_preferred(TopologyDomainId(order_[i]), found);
  order_.resize(kept);
}

// The preferred domain with the most room scores highest. Placements are undone before the next set is tried,
// so the scores are the same for all sets.
void DomainSearch::score_nodes() {
  if (std::exchange(are_scored_, true)) return;
  std::vector<TopologyDomainId> preferred;
  collect_preferred(top_, preferred);
  scores_.assign(cluster_.nodes().size(), -std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < preferred.size(); ++i) {
    const double part = static_cast<double>(i + 1) / static_cast<double>(preferred.size());
    for (std::uint32_t rank : q_.tree->ranks(preferred[i]))
      scores_[cluster_.nodes_by_name()[rank]] = std::floor(part * kScoreSteps) * kStep;
  }
}

// ---------------------------------------------------------------- refusals

DomainShortage DomainSearch::shortage(TopologyDomainId d) const {
  DomainShortage result{.domain = (*q_.tree)[d].id};
  if (pods_ != nullptr) {
    result.pods = (*pods_)[d];
    return result;
  }
  double worst = 0;
  for (const Amount& a : q_.demand.sum) {
    const std::int64_t free = q_.room->free(a.kind, d);
    const double missing = static_cast<double>(a.units - free) / static_cast<double>(a.units);
    if (missing > worst) worst = missing, result.kind = a.kind, result.wanted = a.units, result.free = free;
  }
  return result;
}

JobReason DomainSearch::refusal() const {
  constexpr std::size_t kShown = 3;
  const TopologyTree& tree = *q_.tree;
  JobReason reason{.rule = JobRule::kTopology,
                   .pod_set = q_.group,
                   .needed = q_.demand.tasks,
                   .name = tree.name(),
                   .level = q_.levels.required == 0 ? "" : tree.label(q_.levels.required)};
  std::vector<TopologyDomainId> domains;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const TopologyDomainId d(i);
    const bool is_home = !q_.is_anchored || std::binary_search(q_.anchors.begin(), q_.anchors.end(), d);
    const bool is_in_reach = level_of(top_) > level_of(d) ? tree.ancestor(top_, level_of(d)) == d
                                                          : tree.ancestor(d, level_of(top_)) == top_;
    if (level_of(d) == q_.levels.required && is_home && is_in_reach) domains.push_back(d);
  }
  const auto room = [&](TopologyDomainId d) {
    return pods_ != nullptr ? static_cast<double>((*pods_)[d]) : -q_.room->ratio(q_.demand, d);
  };
  std::stable_sort(domains.begin(), domains.end(),
                   [&](TopologyDomainId a, TopologyDomainId b) { return room(a) > room(b); });
  reason.domain_count = static_cast<std::int64_t>(domains.size());
  for (std::size_t i = 0; i < domains.size() && i < kShown; ++i)
    reason.domains.push_back(shortage(domains[i]));
  return reason;
}

}  // namespace muster::plugins
