// Claims get their devices and volume claims their volumes, before the bind.
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

constexpr const char* kKeepsClaim = "resource.kubernetes.io/delete-protection";
constexpr int kTries = 5;

// Claims that are bound already need nothing, and those that do not wait for a consumer never get here.
void add_volumes(const Cluster& cluster, TaskId task, const Holding& held, BindNeeds& needs) {
  const auto& names = cluster.shape_of(task).constraints.volume_claims;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto* claim = cluster.kept().find<VolumeClaimObject>(cluster.task(task).ns, names[i]);
    if (claim == nullptr || claim->bound) continue;
    needs.volumes.push_back(
        {claim->meta.name, claim->meta.uid, i < held.volumes.size() ? held.volumes[i] : std::string()});
  }
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
  const std::string path = parts.knowledge.served(resources::kResourceClaims).path(pod.ns, name);
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
  const std::string path = parts.knowledge.served(resources::kResourceClaims).path(pod.ns, name);
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

}  // namespace

BindNeeds needs_of(const Cluster& cluster, const BindDecision& decision) {
  BindNeeds needs;
  const Shape& shape = cluster.shape_of(decision.task);
  const Holding& held = cluster.holding(decision.holding);
  const auto& references = shape.constraints.resource_claims;
  for (std::size_t i = 0; i < references.size() && i < held.claims.size(); ++i)
    if (held.claims[i].valid())
      needs.devices.emplace_back(references[i].claim, cluster.devices().allocation(held.claims[i]).object);
  add_volumes(cluster, decision.task, held, needs);
  needs.shares_gpu = !held.groups.empty();
  return needs;
}

kube::Async<std::string> provide(WriteParts parts, const PodIdentity& pod, const std::string& node,
                                 const BindNeeds& needs) {
  std::string problem;
  for (const auto& [name, allocation] : needs.devices) {
    problem = co_await give_devices(parts, pod, name, allocation);
    if (!problem.empty()) co_return problem;
  }
  co_return co_await bind_volumes(parts, pod, node, needs.volumes);
}

kube::Async<void> release(WriteParts parts, const PodIdentity& pod, const std::string& node,
                          const BindNeeds& needs) {
  for (const auto& [name, allocation] : needs.devices) co_await take_devices_back(parts, pod, name);
  co_await unbind_volumes(parts, pod, node, needs.volumes);
}

}  // namespace muster::serve
