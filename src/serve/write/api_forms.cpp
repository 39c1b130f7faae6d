// Allocations of devices as JSON, and what a job is taken for in words.
#include "serve/write/api_forms.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "model/device_objects.hpp"

namespace muster::serve {
namespace {

using nlohmann::json;

constexpr std::array kOperators = {"In",           "NotIn", "Exists",
                                   "DoesNotExist", "Gt",    "Lt"};  // in the order of Operator

json expressions(const std::vector<Requirement>& requirements) {
  json list = json::array();
  for (const Requirement& requirement : requirements) {
    list.push_back(
        {{"key", requirement.key}, {"operator", kOperators[static_cast<std::size_t>(requirement.op)]}});
    if (!requirement.values.empty()) list.back()["values"] = requirement.values;
  }
  return list;
}

json node_selector(const std::vector<NodeTerm>& terms) {
  json list = json::array();
  for (const NodeTerm& term : terms) {
    json item = json::object();
    if (!term.labels.empty()) item["matchExpressions"] = expressions(term.labels);
    if (!term.fields.empty()) item["matchFields"] = expressions(term.fields);
    list.push_back(std::move(item));
  }
  return {{"nodeSelectorTerms", list}};
}

}  // namespace

json to_json(const AllocationObject& allocation) {
  json results = json::array();
  for (const AllocatedDevice& device : allocation.devices) {
    results.push_back({{"request", device.request},
                       {"driver", device.driver},
                       {"pool", device.pool},
                       {"device", device.device}});
    if (device.admin_access) results.back()["adminAccess"] = true;
  }
  json result = {{"devices", {{"results", results}}}};
  if (allocation.has_selector) result["nodeSelector"] = node_selector(allocation.selector);
  return result;
}

std::string name_of(Preemptibility preemptibility) {
  switch (preemptibility) {
    case Preemptibility::kPreemptible:
      return "preemptible";
    case Preemptibility::kNonPreemptible:
      return "non-preemptible";
    case Preemptibility::kSemiPreemptible:
      break;
  }
  return "semi-preemptible";
}

std::string name_of(PreemptibilitySource source) {
  switch (source) {
    case PreemptibilitySource::kSpec:
      return "spec";
    case PreemptibilitySource::kOwnerLabel:
      return "owner label";
    case PreemptibilitySource::kPodLabel:
      return "pod label";
    case PreemptibilitySource::kPriority:
      break;
  }
  return "priority";
}

std::string preemptibility_text(const Job& job) {
  return name_of(job.preemptibility) + " (" + name_of(job.preemptibility_source) + ")";
}

}  // namespace muster::serve
