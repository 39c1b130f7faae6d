// How many pods of each kind of workload must start together, and how they are grouped.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grouper/grouper.hpp"
#include "util/result.hpp"

namespace muster::grouper {

// A pod, and what a rule may use to choose its group.
struct Member {
  const json& workload;  // the owner whose rule applies, or the pod
  const json& pod;
  const std::vector<json>& owners;  // from the nearest to the top one
  const json& related;              // what `related_to` asked for; null if it was not read
};

// Which pods share a PodGroup.
enum class Sharing { kOwner, kReplica, kPod };

// How a kind of workload determines the group of its pods.
struct WorkloadRule {
  std::string_view group, kind;  // of the API
  const char* priority_class = "train";
  Sharing sharing = Sharing::kOwner;
  // Returns minMember, or minSubGroup and subGroups.
  Result<json> (*shape)(const Member& member);
  // The sub group of the pod; "" if there is only one.
  std::string (*sub_group)(const Member& member);
  // If set: the name of the group, derived from the usual one.
  std::string (*name)(const Member& member, const std::string& usual) = nullptr;
  // If set: the object that the group is created for instead of the workload; an error if it is missing.
  Result<const json*> (*subject)(const Member& member) = nullptr;
  // If set: the kind's own way to name a priority class; "" if it names none.
  std::string (*own_class)(const Member& member) = nullptr;
  // If set: what must be read besides the owners.
  std::optional<Related> (*related)(const Member& member) = nullptr;
};

// The rule for the top owner. Every kind has one.
const WorkloadRule& rule_for(const json& workload);
// True for an owner without a rule of its own: the owner below it counts, and inherits its labels and
// annotations.
bool is_looked_through(const json& workload);
// True if labels are looked up on all owners, not only on the topmost.
bool asks_all_owners(const WorkloadRule& rule);

}  // namespace muster::grouper
