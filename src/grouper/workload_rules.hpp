// How many pods each kind of workload needs at once, and how they are divided.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grouper/grouper.hpp"
#include "util/result.hpp"

namespace muster::grouper {

// A pod, and what a rule may look at to find its place.
struct Member {
  const json& workload;  // the owner whose rule counts, or the pod
  const json& pod;
  const std::vector<json>& owners;  // from the nearest to the top one
  const json& related;              // what `related_to` asked for; null where nobody looked
};

// Who shares a PodGroup.
enum class Sharing { kOwner, kReplica, kPod };

// What a kind of workload means for its pods' group.
struct WorkloadRule {
  std::string_view group, kind;  // of the API
  const char* priority_class = "train";
  Sharing sharing = Sharing::kOwner;
  // minMember, or minSubGroup and subGroups.
  Result<json> (*shape)(const Member& member);
  // The pod's; "": the only one.
  std::string (*sub_group)(const Member& member);
  // Where set: the group's name, from the one that it would have.
  std::string (*name)(const Member& member, std::string usual) = nullptr;
  // Where set: the object that the group is made for instead of the workload; an error where it is missing.
  Result<const json*> (*subject)(const Member& member) = nullptr;
  // Where set: the kind's own way to name a priority class; "" where it does not.
  std::string (*own_class)(const Member& member) = nullptr;
  // Where set: what has to be read beside the owners.
  std::optional<Related> (*related)(const Member& member) = nullptr;
};

// The rule for the top owner; there is one for every kind.
const WorkloadRule& rule_for(const json& workload);
// Such an owner has no rule of its own: the one below it counts, and inherits its labels and annotations.
bool is_looked_through(const json& workload);
// Its pods' labels are looked for on all owners, not only the topmost.
bool asks_all_owners(const WorkloadRule& rule);

}  // namespace muster::grouper
