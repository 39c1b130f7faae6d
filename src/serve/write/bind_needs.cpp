// Allocates devices to resource claims before the bind.
#include "serve/write/bind_needs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "answers/api_forms.hpp"
#include "grouper/fields.hpp"
#include "kube/json_text.hpp"
#include "kube/resource.hpp"
#include "kube/waiting.hpp"
#include "model/cluster.hpp"
#include "model/decisions.hpp"
#include "serve/read/observed_state.hpp"

namespace muster::serve {
namespace {

using kube::ApiRequest;
using kube::HttpResponse;
using nlohmann::json;
namespace resources = kube::resources;

constexpr const char* kKeepsClaim = "resource.kubernetes.io/delete-protection";
constexpr const char* kOfContainers = "resource.kubernetes.io/extended-resource-claim";
constexpr int kTries = 5;

// Only claims that wait for their first consumer get here; those that are bound by now need nothing.
void add_volumes(const Cluster& cluster, TaskId task, const Holding& held, BindNeeds& needs) {
  const auto& names = cluster.shape_of(task).constraints.volume_claims;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto* claim = cluster.kept().find<VolumeClaimObject>(cluster.task(task).ns, names[i]);
    if (claim == nullptr || claim->bound) continue;
    needs.volumes.push_back(
        {claim->meta.name, claim->meta.uid, i < held.volumes.size() ? held.volumes[i] : std::string()});
  }
}

// Adds the devices and the user to the claim. Returns false if it has both already.
bool complete(json& claim, const PodIdentity& pod, const AllocationObject& allocation) {
  json& status = claim["status"];
  if (!status.is_object()) status = json::object();
  const json user = {{"resource", "pods"}, {"name", pod.name}, {"uid", pod.uid}};
  json& users = status["reservedFor"];
  if (!users.is_array()) users = json::array();
  const bool is_user = std::ranges::any_of(
      users, [&](const json& other) { return grouper::text_at(other, "/uid") == pod.uid; });
  const bool is_allocated = status.contains("allocation") && status["allocation"].is_object();
  if (!is_allocated) status["allocation"] = answers::to_json(allocation);
  if (!is_user) users.push_back(user);
  return !is_allocated || !is_user;
}

// Adds the finalizer that delays the deletion of the claim. Returns false if the claim has it already.
bool protect(json& claim) {
  json& finalizers = claim["metadata"]["finalizers"];
  if (!finalizers.is_array()) finalizers = json::array();
  const bool is_protected = std::ranges::find(finalizers, json(kKeepsClaim)) != finalizers.end();
  if (!is_protected) finalizers.push_back(kKeepsClaim);
  return !is_protected;
}

kube::Async<HttpResponse> put(WriteServices parts, std::string path, const json* object) {
  ApiRequest request{.method = "PUT",
                     .path = std::move(path),
                     .body = kube::json_text(*object),
                     .lane = kube::Lane::kDecision};
  co_return co_await send_persistently(&parts.client, std::move(request));
}

struct ClaimWrite {
  HttpResponse answer;
  bool is_taken = false;  // the claim has other devices
};

ClaimWrite unreadable() {
  ClaimWrite written;
  written.answer.error = "the API server did not return that resource claim";
  return written;
}

// Makes one attempt.
kube::Async<ClaimWrite> write_claim(WriteServices parts, const PodIdentity* pod, std::string name,
                                    const AllocationObject* allocation) {
  const std::string path = parts.knowledge.served(resources::kResourceClaims).path(pod->ns, name);
  ClaimWrite written;
  written.answer = co_await parts.client.get(path);
  if (!written.answer.ok()) co_return written;
  json claim = json::parse(written.answer.body, nullptr, false);
  if (grouper::text_at(claim, "/metadata/name") != name) co_return unreadable();
  written.is_taken = answers::has_other_devices(claim, *allocation);
  if (written.is_taken) co_return written;
  if (protect(claim)) {
    written.answer = co_await put(parts, path, &claim);
    if (!written.answer.ok()) co_return written;
    claim = json::parse(written.answer.body, nullptr, false);
    if (grouper::text_at(claim, "/metadata/name") != name) co_return unreadable();
  }
  if (complete(claim, *pod, *allocation)) written.answer = co_await put(parts, path + "/status", &claim);
  co_return written;
}

// Other clients write claims as well: after a conflict the claim is read again.
kube::Async<std::string> give_devices(WriteServices parts, const PodIdentity* pod, std::string name,
                                      const AllocationObject* allocation) {
  ClaimWrite written;
  for (int i = 0; i < kTries; ++i) {
    written = co_await write_claim(parts, pod, name, allocation);
    if (written.answer.ok()) parts.knowledge.saw(resources::kResourceClaims, written.answer.body);
    if (written.answer.status != 409) break;
  }
  if (written.is_taken)
    co_return fmt::format("resource claim {} was allocated other devices by another client", name);
  if (written.answer.ok()) co_return std::string();
  co_return fmt::format("resource claim {}: {}", name, describe(written.answer));
}

// ---- claims for extended resources of containers

json requests_of(const ContainerDevices& devices) {
  json requests = json::array();
  for (const DeviceRequest& request : devices.requests)
    requests.push_back({{"name", request.name},
                        {"exactly",
                         {{"deviceClassName", request.device_class},
                          {"allocationMode", "ExactCount"},
                          {"count", request.count}}}});
  return requests;
}

// Creates the claim. Its name is unique to the pod, so an existing claim was created for this pod.
kube::Async<std::string> make_claim(WriteServices parts, const PodIdentity* pod, const DeviceNeed* need) {
  const kube::Resource served = parts.knowledge.served(resources::kResourceClaims);
  const json owner = {
      {"apiVersion", "v1"}, {"kind", "Pod"}, {"name", pod->name}, {"uid", pod->uid}, {"controller", true}};
  const json claim = {{"apiVersion", served.api_version()},
                      {"kind", "ResourceClaim"},
                      {"metadata",
                       {{"name", need->claim},
                        {"namespace", pod->ns},
                        {"annotations", {{kOfContainers, "true"}}},
                        {"ownerReferences", json::array({owner})}}},
                      {"spec", {{"devices", {{"requests", requests_of(*need->of_containers)}}}}}};
  ApiRequest request{.method = "POST",
                     .path = served.path(pod->ns),
                     .body = kube::json_text(claim),
                     .lane = kube::Lane::kDecision};
  const HttpResponse answer = co_await send_persistently(&parts.client, std::move(request));
  if (answer.ok() || answer.status == 409) co_return std::string();
  co_return fmt::format("resource claim {}: {}", need->claim, describe(answer));
}

// Maps containers to the requests of the claim that they use.
json mappings_of(const json& pod, const ContainerDevices& devices) {
  std::vector<std::string> containers;
  for (const char* list : {"/spec/initContainers", "/spec/containers"})
    for (const json& container : grouper::at(pod, list))
      containers.push_back(grouper::text_at(container, "/name"));
  json mappings = json::array();
  for (const RequestUse& use : devices.uses)
    if (use.container < containers.size())
      mappings.push_back({{"containerName", containers[use.container]},
                          {"resourceName", use.resource},
                          {"requestName", use.request}});
  return mappings;
}

kube::Async<std::string> name_claim(WriteServices parts, const PodIdentity* pod, const DeviceNeed* need) {
  const std::string path = resources::kPods.path(pod->ns, pod->name);
  HttpResponse answer = co_await parts.client.get(path);
  if (!answer.ok()) co_return fmt::format("resource claim {}: {}", need->claim, describe(answer));
  const json seen = json::parse(answer.body, nullptr, false);
  const json patch = {{"metadata", {{"uid", pod->uid}}},
                      {"status",
                       {{"extendedResourceClaimStatus",
                         {{"resourceClaimName", need->claim},
                          {"requestMappings", mappings_of(seen, *need->of_containers)}}}}}};
  ApiRequest request{.method = "PATCH",
                     .path = path + "/status",
                     .body = kube::json_text(patch),
                     .content_type = kube::kMergePatch,
                     .lane = kube::Lane::kDecision};
  answer = co_await send_persistently(&parts.client, std::move(request));
  if (answer.ok()) co_return std::string();
  co_return fmt::format("could not add resource claim {} to the pod's status: {}", need->claim,
                        describe(answer));
}

kube::Async<void> take_devices_back(WriteServices parts, const PodIdentity* pod, std::string name) {
  const std::string path = parts.knowledge.served(resources::kResourceClaims).path(pod->ns, name);
  for (int i = 0; i < kTries; ++i) {
    HttpResponse answer = co_await parts.client.get(path);
    if (!answer.ok()) co_return;
    json claim = json::parse(answer.body, nullptr, false);
    if (!answers::remove_user(claim, pod->uid)) co_return;
    answer = co_await put(parts, path + "/status", &claim);
    if (answer.ok()) parts.knowledge.saw(resources::kResourceClaims, answer.body);
    if (answer.status != 409) co_return;
  }
}

}  // namespace

BindNeeds needs_of(const Cluster& cluster, const BindDecision& decision) {
  BindNeeds needs;
  const Shape& shape = cluster.shape_of(decision.task);
  const Holding& held = cluster.holding(decision.holding);
  const auto& references = shape.constraints.resource_claims;
  for (std::size_t i = 0; i < references.size() && i < held.claims.size(); ++i)
    if (held.claims[i].valid()) {
      DeviceNeed& need = needs.devices.emplace_back();
      need.claim = references[i].claim;
      need.allocation = cluster.devices().allocation(held.claims[i]).object;
      if (references[i].of_containers) need.of_containers = cluster.container_devices(decision.task);
    }
  add_volumes(cluster, decision.task, held, needs);
  needs.shares_gpu = !held.groups.empty();
  return needs;
}

BindNeeds of_containers_only(const BindNeeds& needs) {
  BindNeeds some;
  std::ranges::copy_if(needs.devices, std::back_inserter(some.devices),
                       [](const DeviceNeed& need) { return need.of_containers.has_value(); });
  return some;
}

kube::Async<std::string> provide(WriteServices parts, const PodIdentity* pod, std::string node,
                                 const BindNeeds* needs) {
  std::string problem;
  for (const DeviceNeed& need : needs->devices) {
    if (need.of_containers) problem = co_await make_claim(parts, pod, &need);
    if (problem.empty()) problem = co_await give_devices(parts, pod, need.claim, &need.allocation);
    if (problem.empty() && need.of_containers) problem = co_await name_claim(parts, pod, &need);
    if (!problem.empty()) co_return problem;
  }
  co_return co_await bind_volumes(parts, pod, node, &needs->volumes);
}

kube::Async<void> release(WriteServices parts, const PodIdentity* pod, std::string node,
                          const BindNeeds* needs) {
  for (const DeviceNeed& need : needs->devices) co_await take_devices_back(parts, pod, need.claim);
  co_await unbind_volumes(parts, pod, node, &needs->volumes);
}

}  // namespace muster::serve
