// How many pods each kind of workload needs at once, and how they are divided.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "util/result.hpp"

namespace muster::grouper {

using nlohmann::json;

// What a kind of workload means for its pods' group.
struct WorkloadRule {
  std::string_view group, kind;  // of the API
  const char* priority_class;
  bool one_group_per_pod;
  // minMember, or minSubGroup and subGroups.
  Result<json> (*shape)(const json& workload, const json& pod);
  // The pod's; "": the only one.
  std::string (*sub_group)(const json& workload, const json& pod);
};

// The rule for the top owner; there is one for every kind.
const WorkloadRule& rule_for(const json& workload);
// Such an owner has no rule of its own: the one below it counts, and inherits its labels and annotations.
bool is_looked_through(const json& workload);
// Its pods' labels are looked for on all owners, not only the topmost.
bool asks_all_owners(const WorkloadRule& rule);

// ---- names that a RayCluster's groups of pods have

inline constexpr const char* kRayHead = "headgroup";
std::string ray_worker_group(const json& group, std::size_t number);

}  // namespace muster::grouper
