// The domains of a topology: nodes that share the values of its labels, level by level. placement.md 8.1.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/node.hpp"
#include "model/objects.hpp"

namespace muster {

using TopologyDomainId = Id<struct TopologyDomainTag>;

struct TopologyDomain {
  std::string id;           // label values from the top, joined with "."; "root" for the root
  std::uint32_t level = 0;  // 0: the root, 1: the coarsest level of the topology
  bool is_named = true;     // whether its label has a value
  TopologyDomainId parent;  // not valid for the root
  TopologyDomainId first_child, end_child;
  std::uint32_t first_node = 0, end_node = 0;  // range in the list of all nodes of the tree
};

// Domains are ordered by level, then by parent, then by id. Nodes that lack one of the labels belong to no
// domain.
class TopologyTree {
 public:
  TopologyTree() = default;
  // `by_rank` lists the nodes of the cluster by name.
  TopologyTree(const TopologyObject& topology, const IdVector<NodeId, Node>& nodes,
               std::span<const NodeId> by_rank);

  const std::string& name() const { return name_; }
  // The level with that label or alias, or nullopt.
  std::optional<std::uint32_t> level(std::string_view name) const;
  const std::string& label(std::uint32_t level) const { return levels_[level - 1].label; }

  static constexpr TopologyDomainId root() { return TopologyDomainId(0); }
  std::size_t size() const { return domains_.size(); }
  const TopologyDomain& operator[](TopologyDomainId d) const { return domains_[d]; }
  // The ranks of the nodes in a domain.
  std::span<const std::uint32_t> ranks(TopologyDomainId d) const {
    return std::span(ranks_).subspan(domains_[d].first_node, domains_[d].end_node - domains_[d].first_node);
  }
  // The finest domain of the node with that rank; not valid if the node is not part of the topology.
  TopologyDomainId leaf(std::size_t rank) const { return leaves_[rank]; }
  // The domain on `level` that contains `d`. REQUIRES: `level` is not finer than the level of `d`.
  TopologyDomainId ancestor(TopologyDomainId d, std::uint32_t level) const;
  TopologyDomainId common(TopologyDomainId a, TopologyDomainId b) const;

  template <class Visit>
  void for_each_child(TopologyDomainId d, Visit visit) const {
    for (TopologyDomainId c = domains_[d].first_child; c < domains_[d].end_child;
         c = TopologyDomainId(c.index() + 1))
      visit(c);
  }

 private:
  struct Member {
    std::uint32_t rank = 0;
    std::vector<std::string_view> values;  // of the labels, coarsest first
  };
  std::vector<Member> members(const IdVector<NodeId, Node>& nodes, std::span<const NodeId> by_rank) const;
  void add_level(std::uint32_t level, const std::vector<Member>& members);

  std::string name_;
  std::vector<TopologyLevel> levels_;
  IdVector<TopologyDomainId, TopologyDomain> domains_;
  std::vector<std::uint32_t> ranks_;
  std::vector<TopologyDomainId> leaves_;  // by rank
};

}  // namespace muster
