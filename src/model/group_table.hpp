// The names of shared GPUs: those that pods came with, and new ones for devices that begin to be shared.
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
  // Not valid: the name was never met.
  GroupId find(std::string_view name) const;
  const std::string& name(GroupId group) const { return groups_[group].name; }

  // A pod was seen to hold the group: no other device will ever get its name.
  void spend(GroupId group);
  // New names for devices of a node, from the first that no pod was ever seen to hold. The same number gives
  // the same name until then, so that a search does not use names up.
  GroupId fresh(NodeId node, const std::string& node_name, std::uint32_t number);

  std::size_t size() const { return groups_.size(); }
  std::size_t count() const { return groups_.size() - free_.size(); }
  // Forgets all others; that their names were used stays known.
  void keep_only(const Marks<GroupId>& used);
  // The node's row is used for another one.
  void forget_node(NodeId node) {
    if (made_.contains(node)) made_[node] = {};
  }

 private:
  struct Group {
    std::string name;
    NodeId made_for;  // not valid: a name that a pod came with
    std::uint32_t number = 0;
  };
  struct Made {
    absl::flat_hash_map<std::uint32_t, GroupId> groups;  // by number
    std::uint32_t spent = 0;                             // numbers below it
  };
  FreeIds<GroupId> free_;
  IdVector<GroupId, Group> groups_;
  absl::flat_hash_map<std::string, GroupId> by_name_;
  IdVector<NodeId, Made> made_;
};

}  // namespace muster
