// Which PodGroup a pod belongs to, and what that PodGroup looks like: from the pod and the workloads that own
// it.
//
// Pure: objects as JSON in, the PodGroup as JSON out. Who reads and writes them is none of its business.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "util/result.hpp"

namespace muster::grouper {

using nlohmann::json;

struct GroupingOptions {
  std::string queue_label = "kai.scheduler/queue";
  std::string node_pool_label = "kai.scheduler/node-pool";
  std::function<bool(const std::string&)> has_priority_class = [](const std::string&) { return true; };
};

struct GroupPlan {
  json pod_group;         // the object to be created
  std::string sub_group;  // the pod's; "": the only one
};

// An object of the pod's namespace that its group depends on beside the owners: by name, or all with these
// labels.
struct Related {
  std::string api_version, kind, name;
  std::map<std::string, std::string> labels;
};

// What has to be read before the group of such a pod is planned; nothing for most.
std::optional<Related> related_to(const json& pod, const std::vector<json>& owners);

// `owners` from the nearest to the top one; none where the pod stands alone or its owner can not be read.
// `related`: what related_to() asked for, a list where it was asked for by labels; null where it is not
// there. An error where a workload can not be understood: the pod stays ungrouped.
Result<GroupPlan> plan_group(const json& pod, const std::vector<json>& owners, const GroupingOptions& options,
                             const json& related = nullptr);

// The pod's sub group where a pod with the same owners is planned already: what else is in the plan is the
// same. Nothing where the two do not share a group.
std::optional<std::string> sub_group_of_sibling(const json& pod, const std::vector<json>& owners);

// The part of the plan that is written to a PodGroup that exists: what people may have changed there stays.
json update_of(const json& pod_group);

// The name of an owner's PodGroup; of a long one only the beginning, and the uid tells it from others.
std::string group_name(std::string_view owner, std::string_view uid);

// True where pod or owner asks to be left alone.
bool is_skipped(const json& object);

}  // namespace muster::grouper
