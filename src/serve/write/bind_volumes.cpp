// Begins to bind volumes: writes the claim into a volume, or the selected node into a claim. The volume
// controller then completes the binding.
#include "serve/write/bind_volumes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "grouper/fields.hpp"
#include "kube/json_text.hpp"
#include "kube/resource.hpp"
#include "kube/waiting.hpp"
#include "serve/read/observed_state.hpp"

namespace muster::serve {
namespace {

using grouper::text_at;
using kube::ApiRequest;
using kube::HttpResponse;
using nlohmann::json;
namespace resources = kube::resources;

constexpr const char* kNodeKey = "volume.kubernetes.io/selected-node";
// Marks a binding that a controller made and may therefore undo. The volume controller keeps other bindings.
constexpr const char* kBoundByController = "pv.kubernetes.io/bound-by-controller";
constexpr int kVolumeTries = 5;
constexpr auto kVolumesTimeout = std::chrono::seconds(120);  // as KAI's binder waits

kube::Async<HttpResponse> merge(WriteServices parts, std::string path, json body) {
  ApiRequest patch{.method = "PATCH",
                   .path = std::move(path),
                   .body = kube::json_text(body),
                   .content_type = kube::kMergePatch,
                   .lane = kube::Lane::kDecision};
  co_return co_await send_persistently(&parts.client, std::move(patch));
}

kube::Async<HttpResponse> select_node(WriteServices parts, std::string ns, std::string claim, json node) {
  const json body = {{"metadata", {{"annotations", {{kNodeKey, std::move(node)}}}}}};
  co_return co_await merge(parts, resources::kVolumeClaims.path(ns, claim), body);
}

// ---------------------------------------------------------------- a volume that exists

struct VolumeState {
  std::string version, phase, claim_ns, claim, claim_uid;
  bool was_bound_by_us = false;

  bool is_free() const { return claim.empty(); }
  bool is_for(const std::string& ns, const VolumeNeed& need) const {
    return claim_ns == ns && claim == need.claim && (claim_uid.empty() || claim_uid == need.claim_uid);
  }
};

VolumeState state_of_volume(const std::string& text) {
  const json volume = json::parse(text, nullptr, false);
  return {.version = text_at(volume, "/metadata/resourceVersion"),
          .phase = text_at(volume, "/status/phase"),
          .claim_ns = text_at(volume, "/spec/claimRef/namespace"),
          .claim = text_at(volume, "/spec/claimRef/name"),
          .claim_uid = text_at(volume, "/spec/claimRef/uid"),
          .was_bound_by_us = !grouper::annotation(volume, kBoundByController).empty()};
}

// Binds the version that was read: if the volume has changed meanwhile, it is read again.
json claim_patch(const VolumeState& before, const std::string& ns, const VolumeNeed& need) {
  json body = {{"metadata", {{"resourceVersion", before.version}}},
               {"spec",
                {{"claimRef",
                  {{"apiVersion", "v1"},
                   {"kind", "PersistentVolumeClaim"},
                   {"namespace", ns},
                   {"name", need.claim},
                   {"uid", need.claim_uid}}}}}};
  if (before.is_free()) body["metadata"]["annotations"][kBoundByController] = "yes";
  return body;
}

json unbind_patch(const VolumeState& before) {
  json body = {{"metadata", {{"resourceVersion", before.version}}}, {"spec", {{"claimRef", nullptr}}}};
  if (before.was_bound_by_us)
    body["metadata"]["annotations"][kBoundByController] = nullptr;
  else  // a user had reserved it for the claim
    body["spec"]["claimRef"] = {{"uid", nullptr}, {"resourceVersion", nullptr}};
  return body;
}

kube::Async<std::string> give_volume(WriteServices parts, std::string ns, const VolumeNeed* need) {
  const std::string path = resources::kVolumes.path("", need->volume);
  HttpResponse answer;
  for (int i = 0; i < kVolumeTries; ++i) {
    answer = co_await parts.client.get(path);
    if (!answer.ok()) break;
    const VolumeState state = state_of_volume(answer.body);
    if (!state.is_free() && !state.is_for(ns, *need))
      co_return fmt::format("volume claim {}: volume {} was bound to another claim", need->claim,
                            need->volume);
    if (state.claim_uid == need->claim_uid) break;
    answer = co_await merge(parts, path, claim_patch(state, ns, *need));
    if (answer.status != 409) break;
  }
  if (!answer.ok())
    co_return fmt::format("volume claim {}: volume {}: {}", need->claim, need->volume, describe(answer));
  parts.knowledge.saw(resources::kVolumes, answer.body);
  co_return std::string();
}

// Leaves a volume in phase Bound alone: the volume controller is about to update its claim.
kube::Async<void> take_volume_back(WriteServices parts, std::string ns, const VolumeNeed* need) {
  const std::string path = resources::kVolumes.path("", need->volume);
  for (int i = 0; i < kVolumeTries; ++i) {
    HttpResponse answer = co_await parts.client.get(path);
    if (!answer.ok()) co_return;
    const VolumeState state = state_of_volume(answer.body);
    if (!state.is_for(ns, *need) || state.claim_uid.empty() || state.phase == "Bound") co_return;
    answer = co_await merge(parts, path, unbind_patch(state));
    if (answer.ok()) parts.knowledge.saw(resources::kVolumes, answer.body);
    if (answer.status != 409) co_return;
  }
}

// ---------------------------------------------------------------- a claim

struct ClaimState {
  bool is_bound = false;
  std::string volume, selected_node;

  bool has_other_than(const VolumeNeed& need) const {
    return !need.volume.empty() && !volume.empty() && volume != need.volume;
  }
};

ClaimState state_of_claim(const std::string& text) {
  const json claim = json::parse(text, nullptr, false);
  return {.is_bound = text_at(claim, "/status/phase") == "Bound",
          .volume = text_at(claim, "/spec/volumeName"),
          .selected_node = grouper::annotation(claim, kNodeKey)};
}

// Returns the problem of the claim, or "" if there is none; `is_bound` then tells whether it is bound.
std::string problem_with(const VolumeNeed& need, const std::string& node, const HttpResponse& answer,
                         bool& is_bound) {
  if (answer.status == 404) return fmt::format("volume claim {} was deleted", need.claim);
  if (!answer.ok()) return "";
  const ClaimState state = state_of_claim(answer.body);
  is_bound = state.is_bound;
  if (state.has_other_than(need))
    return fmt::format("volume claim {} was bound to volume {} by another client", need.claim, state.volume);
  // The provisioner removes the selected node if it cannot create a volume there.
  if (!is_bound && need.volume.empty() && state.selected_node != node)
    return fmt::format("volume claim {}: no volume could be created for node {}", need.claim, node);
  return "";
}

bool may_go_on(const WriteServices& parts, const PodIdentity& pod) {
  return !parts.client.is_draining() && parts.client.may_write() && !parts.client.loop().stopping() &&
         parts.knowledge.knows(resources::kPods, pod.ns, pod.name);
}

kube::Async<std::string> wait_for_claim(WriteServices parts, const PodIdentity* pod, std::string node,
                                        const VolumeNeed* need, kube::Clock::time_point end) {
  kube::Backoff backoff(std::chrono::milliseconds(100), std::chrono::milliseconds(2'000));
  while (kube::Clock::now() < end && may_go_on(parts, *pod)) {
    const HttpResponse answer =
        co_await parts.client.get(resources::kVolumeClaims.path(pod->ns, need->claim));
    bool is_bound = false;
    std::string problem = problem_with(*need, node, answer, is_bound);
    if (!problem.empty()) co_return problem;
    if (is_bound) {
      parts.knowledge.saw(resources::kVolumeClaims, answer.body);
      co_return problem;
    }
    co_await parts.client.loop().sleep(backoff.next());
  }
  co_return fmt::format("volume claim {} was not bound in time", need->claim);
}

kube::Async<std::string> write_for(WriteServices parts, const PodIdentity* pod, std::string node,
                                   const VolumeNeed* need) {
  if (!need->volume.empty()) co_return co_await give_volume(parts, pod->ns, need);
  const HttpResponse answer = co_await select_node(parts, pod->ns, need->claim, json(node));
  co_return answer.ok() ? std::string() : fmt::format("volume claim {}: {}", need->claim, describe(answer));
}

}  // namespace

kube::Async<std::string> bind_volumes(WriteServices parts, const PodIdentity* pod, std::string node,
                                      const std::vector<VolumeNeed>* needs) {
  for (const VolumeNeed& need : *needs) {
    std::string problem = co_await write_for(parts, pod, node, &need);
    if (!problem.empty()) co_return problem;
  }
  if (parts.client.is_dry_run()) co_return std::string();  // nothing was stored, so no claim will be bound
  const auto end = kube::Clock::now() + kVolumesTimeout;
  for (const VolumeNeed& need : *needs) {
    std::string problem = co_await wait_for_claim(parts, pod, node, &need, end);
    if (!problem.empty()) co_return problem;
  }
  co_return std::string();
}

kube::Async<void> unbind_volumes(WriteServices parts, const PodIdentity* pod, std::string node,
                                 const std::vector<VolumeNeed>* needs) {
  for (const VolumeNeed& need : *needs) {
    const HttpResponse answer = co_await parts.client.get(resources::kVolumeClaims.path(pod->ns, need.claim));
    const ClaimState state = answer.ok() ? state_of_claim(answer.body) : ClaimState{};
    const bool has_volume = state.is_bound || !state.volume.empty();
    if (has_volume && !state.has_other_than(need)) continue;
    if (!need.volume.empty())
      co_await take_volume_back(parts, pod->ns, &need);
    else if (answer.ok() && state.selected_node == node)
      co_await select_node(parts, pod->ns, need.claim, json());
  }
}

}  // namespace muster::serve
