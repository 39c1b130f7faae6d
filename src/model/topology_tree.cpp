// Builds the domains of a topology: sorts nodes by their label values and splits where a value changes.
#include "model/topology_tree.hpp"

#include <algorithm>

namespace muster {

TopologyTree::TopologyTree(const TopologyObject& topology, const IdVector<NodeId, Node>& nodes,
                           std::span<const NodeId> by_rank)
    : name_(topology.meta.name), levels_(topology.levels), leaves_(by_rank.size()) {
  const std::vector<Member> sorted = members(nodes, by_rank);
  for (const Member& m : sorted) ranks_.push_back(m.rank);
  domains_.push_back({.id = "root", .end_node = static_cast<std::uint32_t>(sorted.size())});
  for (std::uint32_t level = 1; level <= levels_.size(); ++level) add_level(level, sorted);
  for (TopologyDomainId d : ids(domains_))
    if (domains_[d].level == levels_.size())
      for (std::uint32_t rank : ranks(d)) leaves_[rank] = d;
}

std::vector<TopologyTree::Member> TopologyTree::members(const IdVector<NodeId, Node>& nodes,
                                                        std::span<const NodeId> by_rank) const {
  std::vector<Member> found;
  for (std::uint32_t rank = 0; rank < by_rank.size(); ++rank) {
    Member member{.rank = rank};
    for (const TopologyLevel& level : levels_)
      if (const std::string* value = nodes[by_rank[rank]].label(level.label)) member.values.push_back(*value);
    if (member.values.size() == levels_.size()) found.push_back(std::move(member));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Member& a, const Member& b) { return a.values < b.values; });
  return found;
}

// Splits every domain of the level above wherever the label value of this level changes.
void TopologyTree::add_level(std::uint32_t level, const std::vector<Member>& members) {
  for (TopologyDomainId parent{0}; parent < domains_.end_id();
       parent = TopologyDomainId(parent.index() + 1)) {
    if (domains_[parent].level + 1 != level) continue;
    domains_[parent].first_child = domains_.end_id();
    const std::uint32_t end = domains_[parent].end_node;
    for (std::uint32_t from = domains_[parent].first_node, to = from; from < end; from = to) {
      const std::string_view value = members[from].values[level - 1];
      while (to < end && members[to].values[level - 1] == value) ++to;
      domains_.push_back({.id = (level == 1 ? "" : domains_[parent].id + ".").append(value),
                          .level = level,
                          .is_named = !value.empty(),
                          .parent = parent,
                          .first_node = from,
                          .end_node = to});
    }
    domains_[parent].end_child = domains_.end_id();
  }
}

std::optional<std::uint32_t> TopologyTree::level(std::string_view name) const {
  if (name.empty()) return std::nullopt;
  for (const auto field : {&TopologyLevel::alias, &TopologyLevel::label})
    for (std::uint32_t i = 0; i < levels_.size(); ++i)
      if (levels_[i].*field == name) return i + 1;
  return std::nullopt;
}

TopologyDomainId TopologyTree::ancestor(TopologyDomainId d, std::uint32_t level) const {
  while (domains_[d].level > level) d = domains_[d].parent;
  return d;
}

TopologyDomainId TopologyTree::common(TopologyDomainId a, TopologyDomainId b) const {
  a = ancestor(a, domains_[b].level);
  b = ancestor(b, domains_[a].level);
  for (; a != b; a = domains_[a].parent) b = domains_[b].parent;
  return a;
}

}  // namespace muster
