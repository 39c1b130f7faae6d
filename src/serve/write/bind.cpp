// Builds Bindings and BindRequests.
#include "serve/write/bind.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "answers/api_forms.hpp"
#include "kube/json_text.hpp"
#include "kube/resource.hpp"
#include "model/cluster.hpp"
#include "model/decisions.hpp"
#include "serve/read/assumptions.hpp"
#include "util/keys.hpp"

namespace muster::serve {
namespace {

using nlohmann::json;
namespace resources = kube::resources;

std::string received_type(const Shape& shape) {
  switch (shape.gpu.type) {
    case GpuRequestType::kFraction:
    case GpuRequestType::kGpuMemory:
      return "Fraction";
    case GpuRequestType::kMig:
      return "MigInstance";
    case GpuRequestType::kRegular:
      break;
  }
  return "Regular";
}

// The portion of each device, as charged on that node.
double portion_of(const Shape& shape, const Node& node) {
  if (shape.gpu.memory_mib > 0) return static_cast<double>(node.hundredths_of(shape.gpu)) / 100;
  if (shape.gpu.portion > 0) return shape.gpu.portion;
  return shape.gpu.devices > 0 ? 1.0 : 0.0;
}

json metadata_of(const Bind& bind, const PoolLabel& pool) {
  json metadata = {{"name", bind.pod.name}, {"namespace", bind.pod.ns}, {"uid", bind.pod.uid}};
  if (bind.group_is_assumed) metadata["annotations"]["pod-group-name"] = bind.pod.job;
  if (!bind.queue.empty()) metadata["annotations"][keys::kQueue] = bind.queue;
  if (!bind.sub_group.empty()) metadata["labels"]["kai.scheduler/subgroup-name"] = bind.sub_group;
  if (!pool.value.empty()) metadata["labels"][pool.key] = pool.value;
  if (bind.gpu_groups.empty()) return metadata;
  metadata["annotations"]["received-resource-type"] = bind.received_type;
  metadata["labels"]["runai-gpu-group"] = bind.gpu_groups.front();
  if (!bind.gpu_devices.empty()) {
    metadata["annotations"][kGpuDevices] = fmt::format("{}", fmt::join(bind.gpu_devices, ","));
    metadata["annotations"][kGpuPortion] = bind.portion;
  }
  for (const std::string& group : bind.gpu_groups)
    if (bind.gpu_groups.size() > 1) metadata["labels"]["runai-gpu-group/" + group] = group;
  return metadata;
}

json spec_of(const Bind& bind) {
  json spec = {{"podName", bind.pod.name},
               {"selectedNode", bind.node},
               {"receivedResourceType", bind.received_type},
               {"receivedGPU", {{"count", bind.devices}, {"portion", bind.portion}}}};
  if (!bind.gpu_groups.empty()) spec["selectedGPUGroups"] = bind.gpu_groups;
  for (const ClaimAllocation& claim : bind.claims)
    if (claim.claim != kContainerClaim)
      spec["resourceClaimAllocations"].push_back(
          {{"name", claim.claim}, {"allocation", answers::to_json(claim.allocation)}});
  return spec;
}

void set_spare(const Cluster& cluster, TaskId task, Bind& bind) {
  const Task& t = cluster.task(task);
  if (!t.job.valid()) return;
  const PodSet& set = cluster.job(t.job).pod_sets[t.pod_set];
  bind.pod_set = t.pod_set;
  bind.spare = std::max(0, set.counts.in(kActiveUsed)-set.minimum);
}

}  // namespace

Bind bind_of(const Cluster& cluster, const BindDecision& decision, const Assumptions& assumptions) {
  const Shape& shape = cluster.shape_of(decision.task);
  Bind bind{.pod = identity_of(cluster, decision.task),
            .node = cluster.node(decision.node).name,
            .received_type = received_type(shape),
            .portion = fmt::format("{:.2f}", portion_of(shape, cluster.node(decision.node))),
            .devices = shape.gpu.devices,
            .needs = needs_of(cluster, decision)};
  for (const GroupId group : cluster.groups(decision.holding))
    bind.gpu_groups.push_back(cluster.group_name(group));
  if (const JobId job = cluster.task(decision.task).job; job.valid())
    bind.queue = cluster.queue(cluster.job(job).queue).name;
  bind.claims = claims_of(cluster, decision.task, decision.holding);
  set_spare(cluster, decision.task, bind);
  if (const auto* assumed = assumptions.group_of(bind.pod.uid)) {
    bind.group_is_assumed = true;
    bind.sub_group = assumed->second;
  }
  return bind;
}

kube::ApiRequest binding_of(const Bind& bind, const PoolLabel& pool) {
  const json body = {{"apiVersion", "v1"},
                     {"kind", "Binding"},
                     {"metadata", metadata_of(bind, pool)},
                     {"target", {{"apiVersion", "v1"}, {"kind", "Node"}, {"name", bind.node}}}};
  return {.method = "POST",
          .path = resources::kPods.path(bind.pod.ns, bind.pod.name) + "/binding",
          .body = kube::json_text(body),
          .lane = kube::Lane::kDecision};
}

kube::ApiRequest bind_request_of(const Bind& bind, const PoolLabel& pool) {
  json labels = {{"selected-node", bind.node}};
  if (!pool.value.empty()) labels[pool.key] = pool.value;
  const json owner = {{"apiVersion", "v1"}, {"kind", "Pod"}, {"name", bind.pod.name}, {"uid", bind.pod.uid}};
  const json body = {{"apiVersion", resources::kBindRequests.api_version()},
                     {"kind", "BindRequest"},
                     {"metadata",
                      {{"name", bind.pod.name},
                       {"namespace", bind.pod.ns},
                       {"labels", labels},
                       {"ownerReferences", json::array({owner})}}},
                     {"spec", spec_of(bind)}};
  return {.method = "POST",
          .path = resources::kBindRequests.path(bind.pod.ns),
          .body = kube::json_text(body),
          .lane = kube::Lane::kDecision};
}

}  // namespace muster::serve
