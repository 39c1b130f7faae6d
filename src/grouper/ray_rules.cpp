// Ray: the head and the required workers of each group start together.
#include <fmt/format.h>

#include <algorithm>

#include "grouper/fields.hpp"
#include "grouper/rules.hpp"

namespace muster::grouper {
namespace {

constexpr const char* kHead = "headgroup";
constexpr const char* kSubmitter = "submitter";

// The specification of the cluster: that of the RayCluster, which autoscaling changes, or else that of its
// owner.
const json& cluster_spec(const Member& member) {
  for (const json& owner : member.owners)
    if (text_at(owner, "/kind") == "RayCluster") return at(owner, "/spec");
  const bool is_job = text_at(member.workload, "/kind") == "RayJob";
  return at(member.workload, is_job ? "/spec/rayClusterSpec" : "/spec/rayClusterConfig");
}

// A RayJob submits its script from a pod of its own.
bool has_submitter(const json& workload) {
  const std::string mode = text_at(workload, "/spec/submissionMode");
  return text_at(workload, "/kind") == "RayJob" && (mode.empty() || mode == "K8sJobMode");
}

Result<json> topology_of_template(const json& group, const std::string& path) {
  json topology = topology_asked_by(at(group, "/template"));
  const bool names_level =
      topology.contains("requiredTopologyLevel") || topology.contains("preferredTopologyLevel");
  if (!names_level) return json::object();
  if (!topology.contains("topology"))
    return Error{"annotation kai.scheduler/topology: a level is given, but no topology",
                 {.path = path + ".template.metadata.annotations"}};
  return topology;
}

// The number of pods that the group must have; nothing if the group is unused.
std::optional<std::int64_t> needed_workers(const json& group) {
  if (at(group, "/suspended") == true || at(group, "/suspend") == true) return std::nullopt;
  const std::int64_t least = bounded(count_at(group, "/minReplicas").value_or(0));
  const std::int64_t requested = bounded(count_at(group, "/replicas").value_or(0));
  const std::int64_t hosts = bounded(count_at(group, "/numOfHosts").value_or(1));
  if (least == 0 && requested == 0) return std::nullopt;
  return bounded((least > 0 ? least : requested) * hosts);
}

Result<bool> add_worker_group(json& groups, const json& group, std::size_t index) {
  const auto needed = needed_workers(group);
  if (!needed) return true;
  const std::string path = fmt::format("spec.workerGroupSpecs[{}]", index);
  const auto topology = topology_of_template(group, path);
  if (!topology) return topology.error();
  const std::string name = text_at(group, "/groupName");
  groups.push_back(leaf(name.empty() ? fmt::format("worker-group-{}", index) : name, *needed, *topology));
  return true;
}

}  // namespace

Result<json> ray_shape(const Member& member) {
  const json& spec = cluster_spec(member);
  if (!spec.is_object()) return json{{"minMember", 1}};  // runs on an existing cluster
  const auto head_topology = topology_of_template(at(spec, "/headGroupSpec"), "spec.headGroupSpec");
  if (!head_topology) return head_topology.error();
  json groups = json::array({leaf(kHead, 1, *head_topology)});
  const json& workers = at(spec, "/workerGroupSpecs");
  if (workers.is_array() && workers.size() > kMostSubGroups)
    return Error{"spec.workerGroupSpecs: more than 10000 groups"};
  for (std::size_t i = 0; workers.is_array() && i < workers.size(); ++i) {
    const auto added = add_worker_group(groups, workers[i], i);
    if (!added) return added.error();
  }
  if (has_submitter(member.workload)) groups.push_back(leaf(kSubmitter, 0));
  return json{{"minSubGroup", groups.size()}, {"subGroups", groups}};
}

std::string ray_sub_group(const Member& member) {
  if (!cluster_spec(member).is_object()) return "";
  if (std::string group = label(member.pod, "ray.io/group"); !group.empty()) return group;
  if (label(member.pod, "ray.io/node-type") == "head") return kHead;
  return has_submitter(member.workload) ? kSubmitter : "";
}

std::string ray_class(const Member& member) { return label(member.workload, "ray.io/priority-class-name"); }

}  // namespace muster::grouper
