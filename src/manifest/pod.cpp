// Pods: identity, state, and the order in which their parts are read.
#include <algorithm>

#include "manifest/decoders.hpp"
#include "manifest/known_keys.hpp"
#include "manifest/meta.hpp"
#include "manifest/parts.hpp"
#include "manifest/pod_parts.hpp"
#include "util/keys.hpp"

namespace muster {
namespace {

constexpr std::string_view kDefaultScheduler = "default-scheduler";
constexpr std::string_view kGpuGroup = "runai-gpu-group";

void read_annotation(const Field& annotation, PodParts& parts) {
  const std::string_view key = annotation.key();
  PodObject& pod = parts.pod;
  if (read_work_annotation(annotation, pod.work)) return;
  if (key == "pod-group-name")
    pod.pod_group = annotation.text();
  else if (key == keys::kQueue)
    pod.last_queue = annotation.text();
  else if (key == "muster.dev/stays-terminating")
    pod.stays_terminating = annotation.text() == "true";
  else if (key == "kai.scheduler/numa-placement-observed")
    pod.numa_observed = zone_records_in(annotation);
  else if (key == "kai.scheduler/numa-placement-predicted")
    pod.numa_predicted = zone_records_in(annotation);
  else if (key == "runai/shared-gpu-configmap")
    parts.shared_gpu_config_map = annotation.text(),
    parts.has_shared_gpu_config_map = annotation.is_present();
  else
    read_gpu_annotation(annotation, parts.gpu);
}

// The label "runai-gpu-group/<group>" names one of several devices.
bool is_gpu_group(std::string_view key) {
  return key.starts_with(kGpuGroup) && (key.size() == kGpuGroup.size() || key[kGpuGroup.size()] == '/');
}

// Labels are sorted, so the plain label comes before those of single devices.
void add_gpu_group(const std::string& group, std::vector<std::string>& groups) {
  if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
}

void apply_label(const std::string& key, const std::string& value, PodObject& pod) {
  if (key == "kai.scheduler/subgroup-name")
    pod.sub_group = value;
  else if (key == "app")
    pod.app = value;
  else if (key == "kai.scheduler/preemptibility")
    pod.preemptibility = value;
  else if (key == "kai.scheduler/task-priority")
    pod.task_priority = value;
  else if (key == "training.kubeflow.org/job-role")
    pod.leads_kubeflow = value == "master" || value == "launcher";
  else if (key == "ray.io/node-type")
    pod.leads_ray = value == "head";
  else if (is_gpu_group(key))
    add_gpu_group(value, pod.gpu_groups);
}

void read_pod_meta(const Field& root, PodParts& parts) {
  PodObject& pod = parts.pod;
  read_meta(root, pod.meta, [&](const Field& other) {
    if (other.key() == "annotations")
      other.each_member([&](const Field& annotation) { read_annotation(annotation, parts); });
    else if (other.key() == "deletionTimestamp")
      pod.deletion = other.time();
    else if (other.key() == "ownerReferences")
      pod.owner = first_owner(other);
  });
  for (const auto& [key, value] : pod.meta.labels) apply_label(key, value, pod);
}

// A pod without a phase, such as one written by hand, counts as pending.
PodPhase phase_of(const Field& field) {
  const std::string_view phase = field.text();
  if (phase.empty() || phase == "Pending") return PodPhase::kPending;
  if (phase == "Running") return PodPhase::kRunning;
  if (phase == "Succeeded") return PodPhase::kSucceeded;
  if (phase == "Failed") return PodPhase::kFailed;
  if (phase != "Unknown") field.warn("is not a pod phase; read as Unknown");
  return PodPhase::kUnknown;
}

bool has_items(const Field& list) {
  bool any = false;
  list.each_item([&](const Field&) { any = true; });
  return any;
}

// Reads the node and the scheduling fields of the pod. Returns false if the member has another purpose.
bool read_placement(const Field& member, PodObject& pod) {
  const std::string_view key = member.key();
  if (key == "nodeName")
    pod.node = member.text();
  else if (key == "schedulerName")
    pod.scheduler = member.text();
  else if (key == "schedulingGates")
    pod.gated = has_items(member);
  else if (key == "priorityClassName")
    pod.constraints.priority_class = member.text();
  else if (key == "priority")
    pod.constraints.priority = member.int32().value_or(0);
  else
    return false;
  return true;
}

void read_spread(const Field& list, Constraints& constraints) {
  constraints.has_spread_constraints = has_items(list);
  if (constraints.has_spread_constraints) constraints.spread_text = simdjson::minify(list.json());
}

void read_constraint(const Field& member, PodParts& parts) {
  const std::string_view key = member.key();
  Constraints& constraints = parts.pod.constraints;
  if (key == "nodeSelector")
    constraints.node_selector = labels_of(member);
  else if (key == "affinity")
    read_affinity(member, constraints);
  else if (key == "tolerations")
    read_tolerations(member, constraints);
  else if (key == "topologySpreadConstraints")
    read_spread(member, constraints);
  else if (key == "hostNetwork")
    parts.uses_host_network = member.boolean().value_or(false);
  else if (key == "overhead")
    add_resource_list(member, parts.overhead);
  else if (key == "runtimeClassName")
    parts.runtime_class = member.text();
  else if (key == "resources")
    read_pod_resources(member, parts);
}

// Members of the spec that can only be read after the others.
struct LaterMembers {
  std::optional<Field> containers, init_containers, ephemeral_containers, volumes, resource_claims;

  std::optional<Field>* slot(std::string_view key) {
    if (key == "containers") return &containers;
    if (key == "volumes") return &volumes;
    if (key == "initContainers") return &init_containers;
    if (key == "ephemeralContainers") return &ephemeral_containers;
    return key == "resourceClaims" ? &resource_claims : nullptr;
  }
};

void read_later_members(const LaterMembers& later, const Field& status, PodParts& parts) {
  if (later.init_containers) read_containers(*later.init_containers, ContainerRole::kInit, parts);
  if (later.containers) read_containers(*later.containers, ContainerRole::kApp, parts);
  if (later.ephemeral_containers)
    read_containers(*later.ephemeral_containers, ContainerRole::kEphemeral, parts);
  if (later.volumes) read_volumes(*later.volumes, parts);
  finish_config_maps(parts);
  if (later.resource_claims)
    read_resource_claims(*later.resource_claims, status["resourceClaimStatuses"], parts.pod.constraints);
}

void read_spec(const Field& spec, const Field& status, PodParts& parts) {
  LaterMembers later;
  spec.each_member([&](const Field& member) {
    if (auto* const slot = later.slot(member.key()))
      slot->emplace(member);
    else if (!read_placement(member, parts.pod))
      read_constraint(member, parts);
  });
  if (parts.pod.scheduler.empty()) parts.pod.scheduler = kDefaultScheduler;
  apply_runtime_class(spec, parts);
  read_later_members(later, status, parts);
  if (parts.pod.containers.size() == 1 && parts.overhead.empty()) parts.pod.containers.clear();
  resolve_request(parts);
  check_pod_limits(spec, parts);
}

void read_status(const Field& status, PodParts& parts) {
  PodObject& pod = parts.pod;
  pod.phase = PodPhase::kPending;
  pod.guaranteed = is_guaranteed(parts);
  status.each_member([&](const Field& member) {
    if (member.key() == "phase")
      pod.phase = phase_of(member);
    else if (member.key() == "extendedResourceClaimStatus")
      pod.container_claim = member["resourceClaimName"].text();
    else if (member.key() == "nominatedNodeName")
      pod.nominated_node = member.text();
    else if (member.key() == "qosClass" && member.is_present())
      pod.guaranteed = member.text() == "Guaranteed";
  });
}

}  // namespace

void decode(const Field& root, PodObject& pod) {
  PodParts parts{.pod = pod};
  read_pod_meta(root, parts);
  const Field metadata = root["metadata"];
  check_keys(metadata, PlainKeys::kChecked);
  parts.is_new = !metadata["uid"].is_present();
  const Field spec = root.object("spec"), status = root.object("status");
  read_spec(spec, status, parts);
  read_status(status, parts);
}

}  // namespace muster
