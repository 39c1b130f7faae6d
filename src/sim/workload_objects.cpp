// Substitute uids are made of the kind, so that objects of one name but several kinds differ.
#include "sim/workload_objects.hpp"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <string>

#include "grouper/fields.hpp"
#include "model/cluster.hpp"

namespace muster {
namespace {

using grouper::text_at;

// A substitute uid that distinguishes objects of the same name: "job", "pytorchjob.kubeflow.org".
std::string made_up_uid(const nlohmann::json& object) {
  std::string uid = text_at(object, "/kind");
  std::ranges::transform(uid, uid.begin(), [](unsigned char c) { return std::tolower(c); });
  const std::string group = grouper::api_group_of(text_at(object, "/apiVersion"));
  const bool is_usual = group.empty() || group == "apps" || group == "batch";
  return is_usual ? uid : uid.append(".").append(group);
}

}  // namespace

nlohmann::json with_uid(nlohmann::json object) {
  if (text_at(object, "/metadata/uid").empty()) object["metadata"]["uid"] = made_up_uid(object);
  return object;
}

void set_default_priority_class(nlohmann::json& pod, const Cluster& cluster) {
  if (!pod["spec"].is_object() || !text_at(pod, "/spec/priorityClassName").empty()) return;
  for (const auto& [name, object] : cluster.kept().all<PriorityClassObject>())
    if (object.global_default) pod["spec"]["priorityClassName"] = name;
}

bool creates_pods_in_order(const nlohmann::json& workload) {
  return text_at(workload, "/kind") == "StatefulSet" &&
         text_at(workload, "/spec/podManagementPolicy") != "Parallel";
}

}  // namespace muster
