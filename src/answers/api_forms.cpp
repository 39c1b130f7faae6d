// Converts device allocations and amounts to JSON, and preemptibility to text.
#include "answers/api_forms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "grouper/fields.hpp"
#include "model/device_objects.hpp"

namespace muster::answers {
namespace {

using grouper::text_at;
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

std::set<std::string> devices_in(const json& allocation) {
  std::set<std::string> devices;
  for (const json& result : grouper::at(allocation, "/devices/results"))
    devices.insert(text_at(result, "/driver") + "/" + text_at(result, "/pool") + "/" +
                   text_at(result, "/device"));
  return devices;
}

std::string thousandths(std::int64_t units) {
  return units % 1000 == 0 ? fmt::format("{}", units / 1000) : fmt::format("{}m", units);
}

// With the largest unit that leaves a whole number.
std::string whole_bytes(std::int64_t count) {
  constexpr std::array kUnits = {"", "Ki", "Mi", "Gi", "Ti"};
  std::size_t unit = 0;
  for (; count != 0 && count % 1024 == 0 && unit + 1 < kUnits.size(); ++unit) count /= 1024;
  return fmt::format("{}{}", count, kUnits[unit]);
}

}  // namespace

json to_json(const Charge& charge) {
  return {{"cpu", thousandths(charge.units[index(Accounted::kCores)])},
          {"memory", whole_bytes(charge.units[index(Accounted::kBytes)])},
          {"nvidia.com/gpu", thousandths(charge.units[index(Accounted::kGpus)])}};
}

json to_json(const Shares& shares) {
  Charge rounded;
  for (const Accounted r : kAccounted) {
    const double unit = r == Accounted::kGpus ? static_cast<double>(kOneGpu) : 1;
    const double most = static_cast<double>(std::numeric_limits<std::int32_t>::max()) * 1e9;
    rounded.units[index(r)] = static_cast<std::int64_t>(std::clamp(shares[index(r)] * unit, 0.0, most));
  }
  return to_json(rounded);
}

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

bool has_other_devices(const json& claim, const AllocationObject& allocation) {
  const json::json_pointer path("/status/allocation");
  return claim.contains(path) && claim[path].is_object() &&
         devices_in(claim[path]) != devices_in(to_json(allocation));
}

bool remove_user(json& claim, const std::string& uid) {
  if (!claim.contains(json::json_pointer("/status/reservedFor"))) return false;
  json& users = claim["status"]["reservedFor"];
  json others = json::array();
  for (const json& user : users)
    if (text_at(user, "/uid") != uid) others.push_back(user);
  if (others.size() == users.size()) return false;
  if (others.empty()) claim["status"].erase("allocation");
  users = std::move(others);
  return true;
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

}  // namespace muster::answers
