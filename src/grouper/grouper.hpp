// Plans the PodGroup of a pod from the pod and the workloads that own it.
//
// Pure: takes objects as JSON and returns the PodGroup as JSON. The caller reads and writes the objects.
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
  json pod_group;         // the object to create
  std::string sub_group;  // the pod's sub group; "": there is only one
};

// An object in the pod's namespace, besides the owners, that the group depends on: selected by name, or by
// labels.
struct Related {
  std::string api_version, kind, name;
  std::map<std::string, std::string> labels;
};

// What must be read before the group of the pod is planned; nothing for most pods.
std::optional<Related> related_to(const json& pod, const std::vector<json>& owners);

// `owners` lists the owners from the nearest to the top one; it is empty if the pod has no owner or the owner
// cannot be read. `related` is the object that related_to() asked for, a list if it asked by labels, or null
// if it does not exist. Returns an error if the workload is invalid; the pod then stays ungrouped.
Result<GroupPlan> plan_group(const json& pod, const std::vector<json>& owners, const GroupingOptions& options,
                             const json& related = nullptr);

// The sub group of the pod, for use when a pod with the same owners is planned already; the rest of the plan
// is the same. Returns nothing if the two pods do not share a group.
std::optional<std::string> sub_group_of_sibling(const json& pod, const std::vector<json>& owners);

// The part of the plan that is written to an existing PodGroup. Fields that users may have changed are left
// alone.
json update_of(const json& pod_group);

// The name of an owner's PodGroup. A long owner name is cut; the uid keeps it unique.
std::string group_name(std::string_view owner, std::string_view uid);

// True if the pod or owner opts out of grouping.
bool is_skipped(const json& object);

}  // namespace muster::grouper
