// Making reservation pods, waiting for what they report, and taking them away again.
#include "serve/write/gpu_reservations.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "grouper/fields.hpp"
#include "kube/api_client.hpp"
#include "kube/json_text.hpp"
#include "kube/resource.hpp"
#include "kube/waiting.hpp"
#include "model/cluster.hpp"
#include "serve/health/log.hpp"
#include "serve/write/bind.hpp"
#include "serve/write/events.hpp"
#include "util/stable_hash.hpp"

namespace muster::serve {
namespace {

using grouper::text_at;
using kube::Clock;
using kube::HttpResponse;
using nlohmann::json;
namespace resources = kube::resources;

constexpr const char* kDeviceKey = "run.ai/reserve_for_gpu_index";
constexpr const char* kNamePrefix = "gpu-reservation-";
constexpr auto kForADevice = std::chrono::seconds(40);  // as KAI's binder waits
// Whoever is being bound may not show its share yet.
constexpr auto kBetweenSweeps = std::chrono::seconds(10);

json field_of_pod(const char* name, const char* path) {
  return {{"name", name}, {"valueFrom", {{"fieldRef", {{"fieldPath", path}}}}}};
}

}  // namespace

std::string reservation_name(const std::string& node, const std::string& group) {
  return fmt::format("{}{:016x}", kNamePrefix, stable_hash(node + "/" + group));
}

kube::Async<std::string> GpuReservations::reserve(std::string node, std::vector<std::string> groups,
                                                  std::vector<std::string>& devices) {
  for (const std::string& group : groups) {
    std::string device;
    const std::string problem = co_await reserve_one(node, group, device);
    if (!problem.empty()) co_return problem;
    devices.push_back(std::move(device));
  }
  co_return std::string();
}

kube::Async<std::string> GpuReservations::reserve_one(const std::string& node, const std::string& group,
                                                      std::string& device) {
  const std::string name = reservation_name(node, group);
  const auto end = Clock::now() + kForADevice;
  kube::Backoff backoff(std::chrono::milliseconds(50), std::chrono::milliseconds(1000));
  std::string uid;
  while (Clock::now() < end && !p_.client.loop().stopping() && p_.client.may_write()) {
    const HttpResponse answer = co_await p_.client.get(resources::kPods.path(options_.ns, name));
    const json pod = answer.ok() ? json::parse(answer.body, nullptr, false) : json();
    const bool is_leaving = !text_at(pod, "/metadata/deletionTimestamp").empty();
    if (answer.status == 404) {
      const std::string problem = co_await make(node, group, name);
      if (!problem.empty()) co_return problem;
    } else if (pod.is_object() && !is_leaving) {
      uid = text_at(pod, "/metadata/uid");
      device = grouper::annotation(pod, kDeviceKey);
      if (!device.empty()) co_return std::string();
    }
    co_await p_.client.loop().sleep(backoff.next());
  }
  if (!uid.empty()) co_await remove(name, uid);
  co_return fmt::format("reservation pod {} did not say within 40 s which device it holds", name);
}

kube::Async<std::string> GpuReservations::make(const std::string& node, const std::string& group,
                                               const std::string& name) {
  const json container = {
      {"name", "resource-reservation"},
      {"image", options_.image},
      {"args", {"reserve-gpu"}},
      {"env",
       {field_of_pod("POD_NAME", "metadata.name"), field_of_pod("POD_NAMESPACE", "metadata.namespace")}},
      {"resources", {{"limits", {{"nvidia.com/gpu", "1"}}}}}};
  json spec = {{"nodeName", node},
               {"serviceAccountName", options_.service_account},
               {"terminationGracePeriodSeconds", 0},
               {"tolerations", json::array({{{"operator", "Exists"}}})},
               {"containers", json::array({container})}};
  if (!options_.runtime_class.empty()) spec["runtimeClassName"] = options_.runtime_class;
  const json pod = {{"apiVersion", "v1"},
                    {"kind", "Pod"},
                    {"metadata",
                     {{"name", name},
                      {"namespace", options_.ns},
                      {"labels", {{"app", options_.app}, {"runai-gpu-group", group}}},
                      {"annotations", {{"karpenter.sh/do-not-disrupt", "true"}}}}},
                    {"spec", std::move(spec)}};
  kube::ApiRequest request{.method = "POST",
                           .path = resources::kPods.path(options_.ns),
                           .body = kube::json_text(pod),
                           .lane = kube::Lane::kDecision};
  const HttpResponse answer = co_await send_persistently(p_.client, std::move(request));
  if (answer.ok() || answer.status == 409) co_return std::string();  // somebody else's share came first
  co_return "its GPU could not be reserved: " + describe(answer);
}

// Two looks in a row: in between, a pod that was bound by the leader before us has shown up.
void GpuReservations::look_after(const Cluster& cluster) {
  if (!is_on() || Clock::now() < looked_at_ + kBetweenSweeps) return;
  looked_at_ = Clock::now();
  constexpr StatusSet kStands = status_set({TaskStatus::kBound, TaskStatus::kRunning});
  std::set<std::string> used, present;
  SharedDevices shared;
  for (const TaskId id : ids(cluster.tasks())) {
    const Task& task = cluster.task(id);
    const Placement& placement = cluster.placement(id);
    if (task.alive && task.is_reservation) present.insert(task.name);
    if (!task.alive || task.is_reservation || !placement.node.valid()) continue;
    for (const GroupId group : cluster.groups(placement.holding)) {
      const std::string &node = cluster.node(placement.node).name, &name = cluster.group_name(group);
      used.insert(reservation_name(node, name));
      if (!in(placement.status, kStands)) continue;
      Shared& device = shared[reservation_name(node, name)];
      device.node = node, device.group = name;
      device.pods.push_back(identity_of(cluster, id));
    }
  }
  remove_unused(cluster, used);
  restore_lost(std::move(shared), present);
}

void GpuReservations::remove_unused(const Cluster& cluster, const std::set<std::string>& used) {
  std::set<std::string> unused;
  for (const Task& task : cluster.tasks()) {
    const bool is_ours =
        task.alive && task.is_reservation && task.ns == options_.ns && task.name.starts_with(kNamePrefix);
    if (!is_ours || used.contains(task.name)) continue;
    if (unused_.contains(task.name))
      kube::spawn(remove(task.name, task.uid), "removing a reservation pod");
    else
      unused.insert(task.name);
  }
  unused_ = std::move(unused);
}

// ---------------------------------------------------------------- what sharers lost

void GpuReservations::restore_lost(SharedDevices shared, const std::set<std::string>& present) {
  std::set<std::string> lost;
  for (auto& [name, device] : shared) {
    if (present.contains(name)) continue;
    if (lost_.contains(name))
      kube::spawn(restore(std::move(device)), "reserving a GPU again");
    else
      lost.insert(name);
  }
  lost_ = std::move(lost);
}

// Pods that were bound while nobody reserved know no device: they stay as they are.
kube::Async<void> GpuReservations::restore(Shared shared) {
  std::vector<PodIdentity> told;
  for (const PodIdentity& pod : shared.pods) {
    const std::string devices = co_await recorded_devices(pod);
    if (!devices.empty()) told.push_back(pod);
  }
  if (told.empty()) co_return;
  p_.log.repeated_warning("a shared GPU has lost its reservation, which is made again",
                          {{"node", shared.node}, {"group", shared.group}});
  std::string device;
  const std::string problem = co_await reserve_one(shared.node, shared.group, device);
  if (!p_.client.may_write() || p_.client.loop().stopping()) co_return;
  if (!problem.empty()) device.clear();
  for (const PodIdentity& pod : told) co_await check_sharer(pod, device);
}

kube::Async<std::string> GpuReservations::recorded_devices(const PodIdentity& pod) {
  const HttpResponse answer = co_await p_.client.get(resources::kPods.path(pod.ns, pod.name));
  const json object = answer.ok() ? json::parse(answer.body, nullptr, false) : json();
  if (text_at(object, "/metadata/uid") != pod.uid) co_return std::string();
  co_return grouper::annotation(object, kGpuDevices);
}

// Whoever uses a device that nobody holds for it would share it with strangers.
kube::Async<void> GpuReservations::check_sharer(const PodIdentity& pod, const std::string& device) {
  const std::string recorded = co_await recorded_devices(pod);
  const std::string devices = "," + recorded + ",";
  if (recorded.empty() || (!device.empty() && devices.find("," + device + ",") != std::string::npos))
    co_return;
  const std::string text =
      device.empty() ? "the GPU that the pod shares could not be reserved again"
                     : "the GPU that the pod shares was given to others when its reservation was lost";
  p_.log.repeated_warning(text + ": it is deleted", {{"pod", pod.full_name()}});
  p_.events.record({.about = {"v1", "Pod", pod.ns, pod.name, pod.uid},
                    .is_warning = true,
                    .reason = "SharedGPULost",
                    .message = text});
  const json options = {
      {"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"preconditions", {{"uid", pod.uid}}}};
  kube::ApiRequest request{
      .method = "DELETE", .path = resources::kPods.path(pod.ns, pod.name), .body = kube::json_text(options)};
  const HttpResponse answer = co_await send_persistently(p_.client, std::move(request));
  if (!answer.ok() && answer.status != 404 && answer.status != 409)
    p_.log.repeated_warning("a pod could not be deleted: " + describe(answer), {{"pod", pod.full_name()}});
}

kube::Async<void> GpuReservations::remove(std::string name, std::string uid) {
  const json options = {{"apiVersion", "v1"},
                        {"kind", "DeleteOptions"},
                        {"gracePeriodSeconds", 0},
                        {"preconditions", {{"uid", uid}}}};
  kube::ApiRequest request{
      .method = "DELETE", .path = resources::kPods.path(options_.ns, name), .body = kube::json_text(options)};
  const HttpResponse answer = co_await send_persistently(p_.client, std::move(request));
  if (!answer.ok() && answer.status != 404 && answer.status != 409)
    p_.log.repeated_warning("a GPU reservation could not be deleted: " + describe(answer), {{"pod", name}});
}

}  // namespace muster::serve
