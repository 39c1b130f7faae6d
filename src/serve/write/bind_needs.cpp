// Claims get their devices and volume claims their node, before the bind.
#include "serve/write/bind_needs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "kube/resource.hpp"
#include "kube/waiting.hpp"
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
constexpr auto kForAVolume = std::chrono::seconds(120);  // as KAI's binder waits

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

struct ClaimWrite {
  HttpResponse answer;
  bool is_taken = false;  // somebody else gave it other devices
};

// One try.
kube::Async<ClaimWrite> write_claim(WriteParts parts, const PodIdentity& pod, const std::string& name,
                                    const AllocationObject& allocation) {
  const std::string path = resources::kResourceClaims.path(pod.ns, name);
  ClaimWrite written;
  written.answer = co_await parts.client.get(path);
  if (!written.answer.ok()) co_return written;
  json claim = json::parse(written.answer.body, nullptr, false);
  written.is_taken = has_other_devices(claim, allocation);
  if (written.is_taken) co_return written;
  if (protect(claim)) {
    written.answer = co_await put(parts, path, claim);
    if (!written.answer.ok()) co_return written;
    claim = json::parse(written.answer.body, nullptr, false);
  }
  if (complete(claim, pod, allocation)) written.answer = co_await put(parts, path + "/status", claim);
  co_return written;
}

// Others write claims, too: what changed meanwhile is read again.
kube::Async<std::string> give_devices(WriteParts parts, const PodIdentity& pod, const std::string& name,
                                      const AllocationObject& allocation) {
  ClaimWrite written;
  for (int i = 0; i < kTries; ++i) {
    written = co_await write_claim(parts, pod, name, allocation);
    if (written.answer.ok()) parts.knowledge.saw(resources::kResourceClaims, written.answer.body);
    if (written.answer.status != 409) break;
  }
  if (written.is_taken) co_return fmt::format("resource claim {}: somebody else gave it other devices", name);
  if (written.answer.ok()) co_return std::string();
  co_return fmt::format("resource claim {}: {}", name, describe(written.answer));
}

kube::Async<void> take_devices_back(WriteParts parts, const PodIdentity& pod, const std::string& name) {
  const std::string path = resources::kResourceClaims.path(pod.ns, name);
  for (int i = 0; i < kTries; ++i) {
    HttpResponse answer = co_await parts.client.get(path);
    if (!answer.ok()) co_return;
    json claim = json::parse(answer.body, nullptr, false);
    if (!remove_user(claim, pod.uid)) co_return;
    answer = co_await put(parts, path + "/status", claim);
    if (answer.ok()) parts.knowledge.saw(resources::kResourceClaims, answer.body);
    if (answer.status != 409) co_return;
  }
}

// ---------------------------------------------------------------- volumes

struct ClaimState {
  bool is_bound = false;
  std::string selected_node;
};

ClaimState state_of_claim(const std::string& text) {
  const json claim = json::parse(text, nullptr, false);
  const json annotations = claim.value(json::json_pointer("/metadata/annotations"), json::object());
  return {.is_bound = claim.value(json::json_pointer("/status/phase"), "") == "Bound",
          .selected_node = annotations.value(kSelectedNode, "")};
}

kube::Async<HttpResponse> select_node(WriteParts parts, std::string path, json node) {
  const json body = {{"metadata", {{"annotations", {{kSelectedNode, node}}}}}};
  ApiRequest patch{.method = "PATCH",
                   .path = std::move(path),
                   .body = body.dump(),
                   .content_type = kube::kMergePatch,
                   .lane = kube::Lane::kDecision};
  co_return co_await send_persistently(parts.client, std::move(patch));
}

// Whoever makes volumes takes the node away where it can not make one there.
kube::Async<std::string> wait_for_volume(WriteParts parts, const PodIdentity& pod, const std::string& name,
                                         const std::string& node) {
  const std::string path = resources::kVolumeClaims.path(pod.ns, name);
  const auto end = kube::Clock::now() + kForAVolume;
  kube::Backoff backoff(std::chrono::milliseconds(100), std::chrono::milliseconds(2'000));
  while (kube::Clock::now() < end && !parts.client.is_draining() && parts.client.may_write()) {
    const HttpResponse answer = co_await parts.client.get(path);
    if (answer.status == 404) co_return fmt::format("volume claim {} is gone", name);
    const ClaimState state = answer.ok() ? state_of_claim(answer.body) : ClaimState{.selected_node = node};
    if (state.is_bound) co_return std::string();
    if (state.selected_node != node)
      co_return fmt::format("volume claim {}: no volume could be made for node {}", name, node);
    co_await parts.client.loop().sleep(backoff.next());
    if (parts.client.loop().stopping()) break;
  }
  co_return fmt::format("volume claim {}: there was no volume in time", name);
}

kube::Async<std::string> give_node(WriteParts parts, const PodIdentity& pod, const std::string& name,
                                   const std::string& node) {
  const HttpResponse answer =
      co_await select_node(parts, resources::kVolumeClaims.path(pod.ns, name), json(node));
  if (!answer.ok()) co_return fmt::format("volume claim {}: {}", name, describe(answer));
  co_return co_await wait_for_volume(parts, pod, name, node);
}

// What has its volume keeps it.
kube::Async<void> take_node_back(WriteParts parts, const PodIdentity& pod, const std::string& name,
                                 const std::string& node) {
  const std::string path = resources::kVolumeClaims.path(pod.ns, name);
  const HttpResponse answer = co_await parts.client.get(path);
  if (!answer.ok()) co_return;
  const ClaimState state = state_of_claim(answer.body);
  if (!state.is_bound && state.selected_node == node) co_await select_node(parts, path, json());
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

kube::Async<void> release(WriteParts parts, const PodIdentity& pod, const std::string& node,
                          const BindNeeds& needs) {
  for (const auto& [name, allocation] : needs.devices) co_await take_devices_back(parts, pod, name);
  for (const std::string& name : needs.volumes) co_await take_node_back(parts, pod, name, node);
}

}  // namespace muster::serve
