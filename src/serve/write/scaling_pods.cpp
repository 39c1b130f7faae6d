// Creates and deletes scaling pods.
#include "serve/write/scaling_pods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "kube/api_client.hpp"
#include "kube/json_text.hpp"
#include "kube/resource.hpp"
#include "model/cluster.hpp"
#include "model/decisions.hpp"
#include "serve/health/log.hpp"
#include "serve/write/requests.hpp"
#include "util/stable_hash.hpp"

namespace muster::serve {
namespace {

using kube::HttpResponse;
using nlohmann::json;
namespace resources = kube::resources;

constexpr const char* kScalingPrefix = "scaling-";
constexpr auto kShareCheckInterval = std::chrono::seconds(5);
// As KAI's node-scale-adjuster waits: a node that was just added may have room for further shares.
constexpr auto kAfterRemoval = std::chrono::seconds(60);
// A request in GPU memory counts as this much of a GPU while its node is unknown, as in KAI-Scheduler.
constexpr std::int64_t kAssumedForMemory = kOneGpu / 10;

bool waits_for_room(const WaitingJob& entry) {
  return std::ranges::any_of(entry.reasons, [](const JobReason& reason) {
    return reason.rule == JobRule::kNoNode || reason.rule == JobRule::kLargerThanAnyNode;
  });
}

std::int64_t thousandths_of(const Shape& shape) {
  return shape.gpu.type == GpuRequestType::kFraction ? shape.gpu_units()
                                                     : kAssumedForMemory * shape.gpu.devices;
}

struct Share {
  WaitingShare pending;
  std::string name;  // of its scaling pod
  std::string cpu, memory;
};

std::vector<Share> waiting_shares(const Cluster& cluster, const Decisions& decisions) {
  std::vector<Share> shares;
  for (const WaitingJob& entry : decisions.waiting) {
    const Job& job = cluster.job(entry.job);
    if (!waits_for_room(entry) || !job.mark_unschedulable) continue;
    for (const PodSet& set : job.pod_sets)
      for (const TaskId id : set.tasks) {
        const Shape& shape = cluster.shape_of(id);
        if (!shape.is_shared() || cluster.placement(id).status != TaskStatus::kPending) continue;
        const Task& task = cluster.task(id);
        shares.push_back({{task.ns, task.name, shape.gpu.devices, thousandths_of(shape)},
                          scaling_name(task.ns, task.name),
                          fmt::format("{}m", amount_of(shape.request, kCpu)),
                          fmt::format("{}", amount_of(shape.request, kMemory))});
      }
  }
  return shares;
}

// The fields of the pod that restrict its nodes.
json placement_of(const std::string& text) {
  const json pod = json::parse(text, nullptr, false);
  json spec = json::object();
  for (const char* key : {"affinity", "tolerations", "nodeSelector"})
    if (const json::json_pointer at("/spec/" + std::string(key)); pod.contains(at)) spec[key] = pod[at];
  return spec;
}

}  // namespace

std::string scaling_name(const std::string& ns, const std::string& pod) {
  return fmt::format("{}{:016x}", kScalingPrefix, stable_hash(ns + "/" + pod));
}

std::vector<std::size_t> shares_to_scale_for(const std::vector<WaitingShare>& waiting,
                                             std::vector<std::int64_t> asked) {
  std::int64_t wanted = 0;
  for (const WaitingShare& share : waiting) wanted += share.thousandths;
  const std::int64_t devices = (wanted + kOneGpu - 1) / kOneGpu;
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    if (waiting[i].has_pod) continue;
    const std::int64_t sum = std::accumulate(asked.begin(), asked.end(), std::int64_t{0});
    const std::int64_t widest = asked.empty() ? 0 : std::ranges::max(asked);
    if (devices <= sum && waiting[i].devices <= widest) continue;
    asked.push_back(waiting[i].devices);
    chosen.push_back(i);
  }
  return chosen;
}

void ScalingPods::look_after(const Cluster& cluster, const Decisions& decisions) {
  const auto now = kube::Clock::now();
  if (!options_.is_on || now < looked_at_ + kShareCheckInterval) return;
  looked_at_ = now;
  std::vector<Share> shares = waiting_shares(cluster, decisions);
  std::map<std::string, WaitingShare*> by_name;
  for (Share& share : shares) by_name[share.name] = &share.pending;
  std::vector<std::int64_t> asked;
  for (const TaskId id : ids(cluster.tasks())) {
    const Task& task = cluster.task(id);
    if (!task.alive || task.ns != options_.ns || !task.name.starts_with(kScalingPrefix)) continue;
    const auto wanted = by_name.find(task.name);
    const bool is_over = cluster.placement(id).status == TaskStatus::kSucceeded;
    if (wanted == by_name.end() || is_over) {
      removed_at_ = now;
      kube::spawn(remove(task.name, task.uid), "removing a scaling pod");
      continue;
    }
    wanted->second->has_pod = true;
    asked.push_back(cluster.shape_of(id).whole_gpus() / kOneGpu);
  }
  if (removed_at_ != kube::Clock::time_point{} && now < removed_at_ + kAfterRemoval) return;
  std::vector<WaitingShare> waiting;
  for (const Share& share : shares) waiting.push_back(share.pending);
  for (const std::size_t i : shares_to_scale_for(waiting, std::move(asked)))
    kube::spawn(make(shares[i].name, shares[i].pending.ns, shares[i].pending.pod, shares[i].pending.devices,
                     shares[i].cpu, shares[i].memory),
                "creating a scaling pod");
}

kube::Async<void> ScalingPods::make(std::string name, std::string ns, std::string pod, std::int64_t devices,
                                    std::string cpu, std::string memory) {
  const HttpResponse waiting = co_await p_.client.get(resources::kPods.path(ns, pod));
  if (!waiting.ok()) co_return;
  json spec = placement_of(waiting.body);
  const json amounts = {{"nvidia.com/gpu", std::to_string(devices)}, {"cpu", cpu}, {"memory", memory}};
  spec["containers"] = json::array({{{"name", "scaling-pod"},
                                     {"image", options_.image},
                                     {"args", {"version"}},
                                     {"resources", {{"requests", amounts}, {"limits", amounts}}}}});
  spec["restartPolicy"] = "OnFailure";
  spec["automountServiceAccountToken"] = false;
  const json body = {{"apiVersion", "v1"},
                     {"kind", "Pod"},
                     {"metadata",
                      {{"name", name},
                       {"namespace", options_.ns},
                       {"labels", {{"app", options_.app}}},
                       {"annotations", {{"muster.dev/scales-for", ns + "/" + pod}}}}},
                     {"spec", std::move(spec)}};
  kube::ApiRequest request{
      .method = "POST", .path = resources::kPods.path(options_.ns), .body = kube::json_text(body)};
  const HttpResponse answer = co_await send_persistently(&p_.client, std::move(request));
  if (!answer.ok() && answer.status != 409)
    p_.log.repeated_warning("could not create a scaling pod: " + describe(answer), {{"pod", ns + "/" + pod}});
}

kube::Async<void> ScalingPods::remove(std::string name, std::string uid) {
  const json body = {{"apiVersion", "v1"},
                     {"kind", "DeleteOptions"},
                     {"gracePeriodSeconds", 0},
                     {"preconditions", {{"uid", uid}}}};
  kube::ApiRequest request{
      .method = "DELETE", .path = resources::kPods.path(options_.ns, name), .body = kube::json_text(body)};
  const HttpResponse answer = co_await send_persistently(&p_.client, std::move(request));
  if (!answer.ok() && answer.status != 404 && answer.status != 409)
    p_.log.repeated_warning("could not delete a scaling pod: " + describe(answer), {{"pod", name}});
}

}  // namespace muster::serve
