// Creates reservation pods, waits for the devices that they report, and deletes them.
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
constexpr auto kDeviceTimeout = std::chrono::seconds(40);  // as KAI's binder waits
// A pod that is being bound may not show its share yet.
constexpr auto kBetweenSweeps = std::chrono::seconds(10);

json field_of_pod(const char* name, const char* path) {
  return {{"name", name}, {"valueFrom", {{"fieldRef", {{"fieldPath", path}}}}}};
}

}  // namespace

std::string reservation_name(const std::string& node, const std::string& group) {
  return fmt::format("{}{:016x}", kNamePrefix, stable_hash(node + "/" + group));
}

kube::Async<std::string> GpuReservations::reserve(std::string node, std::vector<std::string> groups,
                                                  std::vector<std::string>* devices) {
  for (const std::string& group : groups) {
    std::string device;
    const std::string problem = co_await reserve_one(node, group, &device);
    if (!problem.empty()) co_return problem;
    devices->push_back(std::move(device));
  }
  co_return std::string();
}

kube::Async<std::string> GpuReservations::reserve_one(std::string node, std::string group,
                                                      std::string* device) {
  const std::string name = reservation_name(node, group);
  const auto end = Clock::now() + kDeviceTimeout;
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
      *device = grouper::annotation(pod, kDeviceKey);
      if (!device->empty()) co_return std::string();
    }
    co_await p_.client.loop().sleep(backoff.next());
  }
  if (!uid.empty()) co_await remove(name, uid);
  co_return fmt::format("reservation pod {} did not report its device within 40 s", name);
}

kube::Async<std::string> GpuReservations::make(std::string node, std::string group, std::string name) {
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
  const HttpResponse answer = co_await send_persistently(&p_.client, std::move(request));
  if (answer.ok() || answer.status == 409)
    co_return std::string();  // created for another share of the device
  co_return "could not reserve its GPU: " + describe(answer);
}

// Acts only on what two sweeps in a row have found: by then the watch shows pods that the former leader
// bound.
void GpuReservations::look_after(const Cluster& cluster) {
  if (!is_on() || Clock::now() < looked_at_ + kBetweenSweeps) return;
  looked_at_ = Clock::now();
  constexpr StatusSet kOnNode = status_set({TaskStatus::kBound, TaskStatus::kRunning});
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
      if (!in(placement.status, kOnNode)) continue;
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

// ---------------------------------------------------------------- lost reservations

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

// Pods without a recorded device were bound while reservations were off; they are left alone.
kube::Async<void> GpuReservations::restore(Shared shared) {
  std::vector<PodIdentity> sharers;
  for (const PodIdentity& pod : shared.pods) {
    const std::string devices = co_await recorded_devices(&pod);
    if (!devices.empty()) sharers.push_back(pod);
  }
  if (sharers.empty()) co_return;
  p_.log.repeated_warning("a shared GPU lost its reservation; reserving it again",
                          {{"node", shared.node}, {"group", shared.group}});
  std::string device;
  const std::string problem = co_await reserve_one(shared.node, shared.group, &device);
  if (!p_.client.may_write() || p_.client.loop().stopping()) co_return;
  if (!problem.empty()) device.clear();
  for (const PodIdentity& pod : sharers) co_await check_sharer(&pod, device);
}

kube::Async<std::string> GpuReservations::recorded_devices(const PodIdentity* pod) {
  const HttpResponse answer = co_await p_.client.get(resources::kPods.path(pod->ns, pod->name));
  const json object = answer.ok() ? json::parse(answer.body, nullptr, false) : json();
  if (text_at(object, "/metadata/uid") != pod->uid) co_return std::string();
  co_return grouper::annotation(object, kGpuDevices);
}

// Deletes a pod whose device is not reserved for it: other pods could get the same device.
kube::Async<void> GpuReservations::check_sharer(const PodIdentity* pod, std::string device) {
  const std::string recorded = co_await recorded_devices(pod);
  const std::string devices = "," + recorded + ",";
  if (recorded.empty() || (!device.empty() && devices.find("," + device + ",") != std::string::npos))
    co_return;
  const std::string text =
      device.empty()
          ? "the GPU that the pod shares lost its reservation and could not be reserved again"
          : "the GPU that the pod shares was assigned to other pods after its reservation was lost";
  p_.log.repeated_warning(text + "; deleting the pod", {{"pod", pod->full_name()}});
  p_.events.record({.about = {"v1", "Pod", pod->ns, pod->name, pod->uid},
                    .is_warning = true,
                    .reason = "SharedGPULost",
                    .message = text});
  const json options = {
      {"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"preconditions", {{"uid", pod->uid}}}};
  kube::ApiRequest request{.method = "DELETE",
                           .path = resources::kPods.path(pod->ns, pod->name),
                           .body = kube::json_text(options)};
  const HttpResponse answer = co_await send_persistently(&p_.client, std::move(request));
  if (!answer.ok() && answer.status != 404 && answer.status != 409)
    p_.log.repeated_warning("could not delete a pod: " + describe(answer), {{"pod", pod->full_name()}});
}

kube::Async<void> GpuReservations::remove(std::string name, std::string uid) {
  const json options = {{"apiVersion", "v1"},
                        {"kind", "DeleteOptions"},
                        {"gracePeriodSeconds", 0},
                        {"preconditions", {{"uid", uid}}}};
  kube::ApiRequest request{
      .method = "DELETE", .path = resources::kPods.path(options_.ns, name), .body = kube::json_text(options)};
  const HttpResponse answer = co_await send_persistently(&p_.client, std::move(request));
  if (!answer.ok() && answer.status != 404 && answer.status != 409)
    p_.log.repeated_warning("could not delete a GPU reservation: " + describe(answer), {{"pod", name}});
}

}  // namespace muster::serve
