// The names of shared GPUs: those that pods already have, and new ones for devices that become shared.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string>
#include <string_view>
#include <vector>

#include "model/free_ids.hpp"
#include "model/ids.hpp"

namespace muster {

class GroupTable {
 public:
  GroupId intern(std::string_view name);
  // Not valid if the name is unknown.
  GroupId find(std::string_view name) const;
  const std::string& name(GroupId group) const { return groups_[group].name; }

  // Records that a pod uses the group, so that no other device ever gets its name.
  void spend(GroupId group);
  // Returns a new name for a device of the node, counted from the first name that no pod has used. The same
  // number yields the same name until a pod uses it, so that a search does not use up names.
  GroupId fresh(NodeId node, const std::string& node_name, std::uint32_t number);

  std::size_t size() const { return groups_.size(); }
  std::size_t count() const { return groups_.size() - free_.size(); }
  // Drops all other groups. Their names remain marked as spent.
  void keep_only(const Marks<GroupId>& used);
  // The node's row is reused for another node.
  void forget_node(NodeId node) {
    if (made_.contains(node)) made_[node] = {};
  }

 private:
  struct Group {
    std::string name;
    NodeId made_for;  // not valid if the name came from a pod
    std::uint32_t number = 0;
  };
  struct Made {
    absl::flat_hash_map<std::uint32_t, GroupId> groups;  // by number
    std::uint32_t spent = 0;                             // all numbers below are spent
  };
  FreeIds<GroupId> free_;
  IdVector<GroupId, Group> groups_;
  absl::flat_hash_map<std::string, GroupId> by_name_;
  IdVector<NodeId, Made> made_;
};

}  // namespace muster
