// Names of shared GPUs. They become label values, which are limited to 63 characters.
#include "model/group_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace muster {
namespace {

std::string label_part(const std::string& node) {
  constexpr std::size_t kLongest = 45, kKept = 36;
  if (node.size() <= kLongest) return node;
  std::uint32_t hash = 2166136261U;  // FNV-1a
  for (const char c : node) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return fmt::format("{}-{:08x}", node.substr(0, kKept), hash);
}

}  // namespace

GroupId GroupTable::intern(std::string_view name) {
  const auto [found, is_new] = by_name_.try_emplace(std::string(name));
  if (is_new) {
    found->second = free_.take(groups_);
    groups_[found->second] = {.name = std::string(name)};
  }
  return found->second;
}

GroupId GroupTable::find(std::string_view name) const {
  const auto found = by_name_.find(std::string(name));
  return found == by_name_.end() ? GroupId() : found->second;
}

void GroupTable::spend(GroupId group) {
  const Group& g = groups_[group];
  if (g.made_for.valid()) made_[g.made_for].spent = std::max(made_[g.made_for].spent, g.number + 1);
}

GroupId GroupTable::fresh(NodeId node, const std::string& node_name, std::uint32_t number) {
  if (!made_.contains(node)) made_.resize(node.index() + 1);
  Made& made = made_[node];
  number += made.spent;
  const auto [found, is_new] = made.groups.try_emplace(number);
  if (!is_new) return found->second;
  const GroupId group = intern(fmt::format("{}-shared-{}", label_part(node_name), number));
  groups_[group].made_for = node;
  groups_[group].number = number;
  return found->second = group;
}

void GroupTable::keep_only(const Marks<GroupId>& used) {
  for (Made& made : made_)
    absl::erase_if(made.groups, [&](const auto& entry) { return !used.contains(entry.second); });
  free_.sweep(by_name_, groups_, used);
}

}  // namespace muster
