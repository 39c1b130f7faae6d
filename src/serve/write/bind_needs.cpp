// Claims get their devices and volume claims their node, before the bind.
#include "serve/write/bind_needs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "kube/resource.hpp"
#include "model/cluster.hpp"
#include "model/decisions.hpp"
#include "serve/read/knowledge.hpp"
#include "serve/write/api_forms.hpp"

namespace muster::serve {
namespace {

using kube::ApiRequest;
using kube::HttpResponse;
using nlohmann::json;
namespace resources = kube::resources;

constexpr std::string_view kNoProvisioner = "kubernetes.io/no-provisioner";
constexpr const char* kSelectedNode = "volume.kubernetes.io/selected-node";
constexpr const char* kKeepsClaim = "resource.kubernetes.io/delete-protection";
constexpr int kTries = 5;

void add_volume(const Cluster& cluster, const VolumeClaimObject& claim, BindNeeds& needs) {
  if (claim.bound) return;
  const auto* storage = cluster.kept().find<StorageClassObject>(claim.storage_class.value_or(""));
  if (storage == nullptr || !storage->wait_for_first_consumer) return;
  if (storage->provisioner == kNoProvisioner)
    needs.only_by_binder = "volume claim " + claim.meta.name + " must be given one of the existing volumes";
  else
    needs.volumes.push_back(claim.meta.name);
}

// The claim with its devices and its user; false where it says so already.
bool complete(json& claim, const PodIdentity& pod, const AllocationObject& allocation) {
  json& status = claim["status"];
  const json user = {{"resource", "pods"}, {"name", pod.name}, {"uid", pod.uid}};
  json& users = status["reservedFor"];
  const bool is_user = users.is_array() && std::ranges::any_of(users, [&](const json& other) {
                         return other.value("uid", "") == pod.uid;
                       });
  const bool is_allocated = status.contains("allocation") && status["allocation"].is_object();
  if (!is_allocated) status["allocation"] = to_json(allocation);
  if (!is_user) users.push_back(user);
  return !is_allocated || !is_user;
}

// False where it keeps the claim already.
bool protect(json& claim) {
  json& finalizers = claim["metadata"]["finalizers"];
  const bool is_protected =
      finalizers.is_array() && std::ranges::find(finalizers, json(kKeepsClaim)) != finalizers.end();
  if (!is_protected) finalizers.push_back(kKeepsClaim);
  return !is_protected;
}

kube::Async<HttpResponse> put(WriteParts parts, std::string path, const json& object) {
  ApiRequest request{
      .method = "PUT", .path = std::move(path), .body = object.dump(), .lane = kube::Lane::kDecision};
  co_return co_await send_persistently(parts.client, std::move(request));
}

// One try; the last answer.
kube::Async<HttpResponse> write_claim(WriteParts parts, const PodIdentity& pod, const std::string& name,
                                      const AllocationObject& allocation) {
  const std::string path = resources::kResourceClaims.path(pod.ns, name);
  HttpResponse answer = co_await parts.client.get(path);
  if (!answer.ok()) co_return answer;
  json claim = json::parse(answer.body, nullptr, false);
  if (protect(claim)) {
    answer = co_await put(parts, path, claim);
    if (!answer.ok()) co_return answer;
    claim = json::parse(answer.body, nullptr, false);
  }
  if (complete(claim, pod, allocation)) answer = co_await put(parts, path + "/status", claim);
  co_return answer;
}

// Others write claims, too: what changed meanwhile is read again.
kube::Async<std::string> give_devices(WriteParts parts, const PodIdentity& pod, const std::string& name,
                                      const AllocationObject& allocation) {
  HttpResponse answer;
  for (int i = 0; i < kTries; ++i) {
    answer = co_await write_claim(parts, pod, name, allocation);
    if (answer.ok()) parts.knowledge.saw(resources::kResourceClaims, answer.body);
    if (answer.status != 409) break;
  }
  co_return answer.ok() ? std::string() : fmt::format("resource claim {}: {}", name, describe(answer));
}

kube::Async<std::string> give_node(WriteParts parts, const PodIdentity& pod, const std::string& name,
                                   const std::string& node) {
  const json body = {{"metadata", {{"annotations", {{kSelectedNode, node}}}}}};
  ApiRequest patch{.method = "PATCH",
                   .path = resources::kVolumeClaims.path(pod.ns, name),
                   .body = body.dump(),
                   .content_type = kube::kMergePatch,
                   .lane = kube::Lane::kDecision};
  const HttpResponse answer = co_await send_persistently(parts.client, std::move(patch));
  co_return answer.ok() ? std::string() : fmt::format("volume claim {}: {}", name, describe(answer));
}

}  // namespace

BindNeeds needs_of(const Cluster& cluster, const BindDecision& decision) {
  BindNeeds needs;
  const Shape& shape = cluster.shape_of(decision.task);
  const Holding& held = cluster.holding(decision.holding);
  const auto& references = shape.constraints.resource_claims;
  for (std::size_t i = 0; i < references.size() && i < held.claims.size(); ++i)
    if (held.claims[i].valid())
      needs.devices.emplace_back(references[i].claim, cluster.devices().allocation(held.claims[i]).object);
  const std::string& ns = cluster.task(decision.task).ns;
  for (const std::string& name : shape.constraints.volume_claims)
    if (const auto* claim = cluster.kept().find<VolumeClaimObject>(ns, name))
      add_volume(cluster, *claim, needs);
  needs.shares_gpu = !held.groups.empty();
  return needs;
}

kube::Async<std::string> provide(WriteParts parts, const PodIdentity& pod, const std::string& node,
                                 const BindNeeds& needs) {
  std::string problem;
  if (!needs.only_by_binder.empty()) co_return needs.only_by_binder + ": needs --binding bindrequest";
  for (const auto& [name, allocation] : needs.devices) {
    problem = co_await give_devices(parts, pod, name, allocation);
    if (!problem.empty()) co_return problem;
  }
  for (const std::string& name : needs.volumes) {
    problem = co_await give_node(parts, pod, name, node);
    if (!problem.empty()) co_return problem;
  }
  co_return problem;
}

}  // namespace muster::serve
