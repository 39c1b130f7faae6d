// Decisions as writes to the API server.
#include "serve/live_sink.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "kube/json.hpp"
#include "kube/resource.hpp"
#include "serve/allocation_json.hpp"
#include "serve/preemptibility_text.hpp"

namespace muster::serve {
namespace {

using kube::ApiRequest;
using kube::HttpResponse;
using nlohmann::json;
using std::chrono::seconds;
namespace resources = kube::resources;

constexpr auto kWriteTimeout = std::chrono::milliseconds(8'000);
// After this a bind that gets no answer is given up; the next cycle decides anew.
constexpr auto kGiveUp = seconds(60);
constexpr auto kProtectionByBudget = seconds(30);

class CountedWrite {
 public:
  explicit CountedWrite(int& open) : open_(open) { ++open_; }
  ~CountedWrite() { --open_; }
  CountedWrite(const CountedWrite&) = delete;
  CountedWrite& operator=(const CountedWrite&) = delete;

 private:
  int& open_;
};

bool is_settled(const HttpResponse& answer) { return answer.status == 404 || answer.status == 409; }

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

}  // namespace

// ---------------------------------------------------------------- from decisions

LiveSink::PodWrite LiveSink::pod_of(const Cluster& cluster, TaskId id) const {
  const Task& task = cluster.task(id);
  PodWrite pod{.ns = task.ns, .name = task.name, .uid = task.uid, .created = task.created};
  if (task.job.valid()) {
    pod.job = cluster.job(task.job).name;
    pod.job_uid = cluster.job(task.job).uid;
  }
  return pod;
}

LiveSink::Bind LiveSink::bind_of(const Cluster& cluster, const BindDecision& decision) const {
  const Shape& shape = cluster.shape_of(decision.task);
  Bind bind{.pod = pod_of(cluster, decision.task),
            .node = cluster.node(decision.node).name,
            .received_type = received_type(shape),
            .portion = fmt::format("{:.2f}", shape.gpu.portion > 0   ? shape.gpu.portion
                                             : shape.gpu.devices > 0 ? 1.0
                                                                     : 0.0),
            .devices = shape.gpu.devices};
  for (const GroupId group : cluster.groups(decision.groups))
    bind.gpu_groups.push_back(cluster.group_name(group));
  bind.claims = claims_of(cluster, decision.task, decision.groups);
  if (const auto* assumed = p_.assumptions.group_of(bind.pod.uid)) {
    bind.group_is_assumed = true;
    bind.sub_group = assumed->second;
  }
  return bind;
}

LiveSink::Evict LiveSink::evict_of(const Cluster& cluster, const EvictDecision& decision) const {
  Evict evict{.pod = pod_of(cluster, decision.task), .action = decision.action};
  // A crash between the two must not lose the cooldown.
  if (const auto patching = patching_.find(evict.pod.ns + "/" + evict.pod.job);
      decision.action == "requeue" && patching != patching_.end())
    evict.after = patching->second;
  if (decision.contender.valid()) {
    evict.contender = cluster.job(decision.contender).name;
    evict.contender_ns = cluster.job(decision.contender).ns;
    evict.message = fmt::format("pod {}/{} was evicted by {} to make room for {}/{}", evict.pod.ns,
                                evict.pod.name, decision.action, evict.contender_ns, evict.contender);
  } else {
    evict.message = fmt::format("pod {}/{} was evicted by {}", evict.pod.ns, evict.pod.name, decision.action);
  }
  return evict;
}

void LiveSink::assume(Cluster& cluster, const Decisions& decisions, TimePoint now) {
  for (const BindDecision& bind : decisions.binds)
    p_.assumptions.bind(cluster, bind.task, bind.node, bind.groups);
  for (const EvictDecision& eviction : decisions.evictions) p_.assumptions.evict(cluster, eviction.task, now);
  for (const PatchDecision& patch : decisions.patches)
    p_.assumptions.annotate(cluster.job(patch.job).ns, cluster.job(patch.job).name, patch.annotations);
}

void LiveSink::carry_out(const Cluster& cluster, const Decisions& decisions, TimePoint) {
  for (const PatchDecision& patch : decisions.patches) {
    const Job& job = cluster.job(patch.job);
    AnnotationChanges changes = patch.annotations;
    changes.emplace(kPreemptibility, preemptibility_text(job));
    annotate(job.ns, job.name, changes);
  }
  for (const EvictDecision& eviction : decisions.evictions) {
    p_.metrics.evicted(cluster, eviction);
    kube::spawn(evict(evict_of(cluster, eviction)));
  }
  for (const BindDecision& decision : decisions.binds) kube::spawn(bind(bind_of(cluster, decision)));
}

void LiveSink::annotate(const std::string& ns, const std::string& name, const AnnotationChanges& changes) {
  const std::string key = ns + "/" + name;
  AnnotationChanges& waiting = patches_[key];
  for (const auto& [annotation, value] : changes) waiting[annotation] = value;
  if (patching_.contains(key)) return;
  const auto patching = patching_[key] = std::make_shared<Patching>();
  kube::spawn(patch_group(ns, name, patching));
}

// ---------------------------------------------------------------- binds

ApiRequest LiveSink::binding_request(const Bind& bind) const {
  json metadata = {{"name", bind.pod.name}, {"namespace", bind.pod.ns}, {"uid", bind.pod.uid}};
  // The binding carries to the pod what it lacks.
  if (bind.group_is_assumed) metadata["annotations"]["pod-group-name"] = bind.pod.job;
  if (!bind.sub_group.empty()) metadata["labels"]["kai.scheduler/subgroup-name"] = bind.sub_group;
  if (!options_.node_pool.empty()) metadata["labels"][options_.node_pool_label] = options_.node_pool;
  if (!bind.gpu_groups.empty()) {
    metadata["annotations"]["received-resource-type"] = bind.received_type;
    metadata["labels"]["runai-gpu-group"] = bind.gpu_groups.front();
    for (const std::string& group : bind.gpu_groups)
      if (bind.gpu_groups.size() > 1) metadata["labels"]["runai-gpu-group/" + group] = group;
  }
  const json body = {{"apiVersion", "v1"},
                     {"kind", "Binding"},
                     {"metadata", metadata},
                     {"target", {{"apiVersion", "v1"}, {"kind", "Node"}, {"name", bind.node}}}};
  return {.method = "POST",
          .path = resources::kPods.path(bind.pod.ns, bind.pod.name) + "/binding",
          .body = body.dump(),
          .timeout = kWriteTimeout};
}

ApiRequest LiveSink::bind_request_request(const Bind& bind) const {
  json labels = {{"selected-node", bind.node}};
  if (!options_.node_pool.empty()) labels[options_.node_pool_label] = options_.node_pool;
  json spec = {{"podName", bind.pod.name},
               {"selectedNode", bind.node},
               {"receivedResourceType", bind.received_type},
               {"receivedGPU", {{"count", bind.devices}, {"portion", bind.portion}}}};
  if (!bind.gpu_groups.empty()) spec["selectedGPUGroups"] = bind.gpu_groups;
  for (const ClaimAllocation& claim : bind.claims)
    spec["resourceClaimAllocations"].push_back(
        {{"name", claim.claim}, {"allocation", to_json(claim.allocation)}});
  const json body = {
      {"apiVersion", resources::kBindRequests.api_version()},
      {"kind", "BindRequest"},
      {"metadata",
       {{"name", bind.pod.name},
        {"namespace", bind.pod.ns},
        {"labels", labels},
        {"ownerReferences",
         {{{"apiVersion", "v1"}, {"kind", "Pod"}, {"name", bind.pod.name}, {"uid", bind.pod.uid}}}}}},
      {"spec", spec}};
  return {.method = "POST",
          .path = resources::kBindRequests.path(bind.pod.ns),
          .body = body.dump(),
          .timeout = kWriteTimeout};
}

kube::Async<void> LiveSink::bind(Bind bind) {
  const CountedWrite counted(open_writes_);
  const bool is_direct = options_.binding == Binding::kDirect;
  const auto start = kube::Clock::now();
  kube::Backoff backoff;
  for (;;) {
    ApiRequest request = is_direct ? binding_request(bind) : bind_request_request(bind);
    const HttpResponse answer = co_await p_.client.send(std::move(request));
    if (answer.ok()) {
      if (!is_direct) p_.source.reflector("BindRequest").saw(answer.body);
      p_.metrics.bound(std::chrono::system_clock::now() - bind.pod.created, kube::Clock::now() - start);
      if (const auto seen = p_.source.time_since_seen(bind.pod.uid)) p_.metrics.seen_before(*seen);
      record_scheduled(bind);
      co_return;
    }
    const bool may_go_on = is_transient(answer) && p_.client.may_write() && !p_.client.loop().stopping() &&
                           kube::Clock::now() - start < kGiveUp;
    if (may_go_on) {
      co_await p_.client.loop().sleep(backoff.next(answer.retry_after));
      continue;
    }
    bool is_bound = false;
    if (is_settled(answer)) is_bound = co_await look_at(bind.pod);
    if (is_bound) co_return;
    if (!is_settled(answer)) {
      p_.metrics.write_failed("bind");
      p_.log.repeated_warning("a pod could not be bound: " + describe(answer),
                              {{"pod", bind.pod.ns + "/" + bind.pod.name}, {"node", bind.node}});
      p_.events.record({.about = {"v1", "Pod", bind.pod.ns, bind.pod.name, bind.pod.uid},
                        .is_warning = true,
                        .reason = "FailedBinding",
                        .message = fmt::format("pod {}/{} could not be bound to {}: {}", bind.pod.ns,
                                               bind.pod.name, bind.node, describe(answer))});
    }
    p_.source.tell(BindEnded{bind.pod.ns, bind.pod.name, bind.pod.uid});
    co_return;
  }
}

void LiveSink::record_scheduled(const Bind& bind) {
  p_.log.debug("bound", {{"pod", bind.pod.ns + "/" + bind.pod.name}, {"node", bind.node}});
  const std::string pool = options_.node_pool.empty() ? "default" : options_.node_pool;
  p_.events.record({.about = {"v1", "Pod", bind.pod.ns, bind.pod.name, bind.pod.uid},
                    .reason = "Scheduled",
                    .message = fmt::format("pod {}/{} is placed on node {}, node pool {}", bind.pod.ns,
                                           bind.pod.name, bind.node, pool)});
}

// True where the pod, the same one, stands on a node.
kube::Async<bool> LiveSink::look_at(const PodWrite& pod) {
  const HttpResponse answer = co_await p_.client.get(resources::kPods.path(pod.ns, pod.name));
  if (!answer.ok()) co_return false;
  p_.source.pods().saw(answer.body);
  simdjson::dom::parser parser;
  Json root;
  if (parser.parse(answer.body).get(root) != simdjson::SUCCESS) co_return false;
  const auto metadata = kube::part_at(root, "metadata"), spec = kube::part_at(root, "spec");
  co_return metadata&& spec&& kube::text_at(*metadata, "uid") == pod.uid &&
      !kube::text_at(*spec, "nodeName").empty();
}

void LiveSink::remove_bind_request(const std::string& ns, const std::string& name) {
  if (options_.binding == Binding::kBindRequest) kube::spawn(delete_bind_request(ns, name));
}

kube::Async<void> LiveSink::delete_bind_request(std::string ns, std::string name) {
  const CountedWrite counted(open_writes_);
  ApiRequest request{
      .method = "DELETE", .path = resources::kBindRequests.path(ns, name), .timeout = kWriteTimeout};
  const HttpResponse answer = co_await p_.client.send(std::move(request));
  if (!answer.ok() && answer.status != 404)
    p_.log.repeated_warning("a failed BindRequest could not be deleted: " + describe(answer),
                            {{"pod", ns + "/" + name}});
}

// ---------------------------------------------------------------- evictions

ApiRequest LiveSink::eviction_request(const Evict& evict) const {
  const json options = {
      {"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"preconditions", {{"uid", evict.pod.uid}}}};
  const std::string path = resources::kPods.path(evict.pod.ns, evict.pod.name);
  if (options_.evict_by == EvictBy::kDelete)
    return {.method = "DELETE", .path = path, .body = options.dump(), .timeout = kWriteTimeout};
  const json body = {{"apiVersion", "policy/v1"},
                     {"kind", "Eviction"},
                     {"metadata", {{"name", evict.pod.name}, {"namespace", evict.pod.ns}}},
                     {"deleteOptions", {{"preconditions", {{"uid", evict.pod.uid}}}}}};
  return {.method = "POST", .path = path + "/eviction", .body = body.dump(), .timeout = kWriteTimeout};
}

kube::Async<void> LiveSink::evict(Evict evict) {
  const CountedWrite counted(open_writes_);
  if (evict.after) {
    co_await evict.after->done.opened();
    if (evict.after->failed) {
      p_.source.tell(EvictionEnded{evict.pod.ns, evict.pod.name, evict.pod.uid});
      co_return;
    }
  }
  record_eviction(evict);
  if (options_.marks_evicted_pods) co_await mark_disruption(evict);
  const auto start = kube::Clock::now();
  kube::Backoff backoff;
  for (;;) {
    ApiRequest request = eviction_request(evict);
    const HttpResponse answer = co_await p_.client.send(std::move(request));
    if (answer.ok()) {
      if (options_.evict_by == EvictBy::kDelete) p_.source.pods().saw(answer.body);
      co_return;
    }
    if (answer.status == 404) co_return;  // the watch will say so
    const bool is_protected = answer.status == 429 && options_.evict_by == EvictBy::kEvictionApi;
    const bool may_go_on = is_transient(answer) && !is_protected && p_.client.may_write() &&
                           !p_.client.loop().stopping() && kube::Clock::now() - start < kGiveUp;
    if (may_go_on) {
      co_await p_.client.loop().sleep(backoff.next(answer.retry_after));
      continue;
    }
    if (is_protected) {
      newly_protected_.emplace_back(evict.pod.ns + "/" + evict.pod.job,
                                    std::chrono::system_clock::now() + kProtectionByBudget);
      p_.log.info("a disruption budget protects a victim", {{"pod", evict.pod.ns + "/" + evict.pod.name}});
    } else if (answer.status != 409) {
      p_.metrics.write_failed("evict");
      p_.log.repeated_warning("a pod could not be evicted: " + describe(answer),
                              {{"pod", evict.pod.ns + "/" + evict.pod.name}});
    }
    co_await look_at(evict.pod);
    p_.source.tell(EvictionEnded{evict.pod.ns, evict.pod.name, evict.pod.uid});
    co_return;
  }
}

void LiveSink::note_protected_jobs() {
  for (const auto& [job, until] : std::exchange(newly_protected_, {})) protected_jobs_.add(job, until);
}

kube::Async<void> LiveSink::mark_disruption(const Evict& evict) {
  const json body = {{"metadata", {{"uid", evict.pod.uid}}},
                     {"status",
                      {{"conditions",
                        {{{"type", "DisruptionTarget"},
                          {"status", "True"},
                          {"reason", "PreemptionByScheduler"},
                          {"message", evict.message}}}}}}};
  ApiRequest request{.method = "PATCH",
                     .path = resources::kPods.path(evict.pod.ns, evict.pod.name) + "/status",
                     .body = body.dump(),
                     .content_type = kube::kStrategicPatch,
                     .timeout = kWriteTimeout};
  co_await p_.client.send(std::move(request));
}

void LiveSink::record_eviction(const Evict& evict) {
  p_.log.info("evict", {{"pod", evict.pod.ns + "/" + evict.pod.name},
                        {"action", evict.action},
                        {"for", evict.contender.empty() ? "" : evict.contender_ns + "/" + evict.contender}});
  Event event{.about = {resources::kPodGroups.api_version(), "PodGroup", evict.pod.ns, evict.pod.job,
                        evict.pod.job_uid},
              .reason = "Evict",
              .message = evict.message,
              .annotations = {{"num-evicted-pods", "1"}, {"evictor-action-type", evict.action}}};
  if (!evict.contender.empty()) {
    event.annotations["evictor-pod-group-name"] = evict.contender;
    event.annotations["evictor-pod-group-namespace"] = evict.contender_ns;
  }
  if (!evict.pod.job.empty()) p_.events.record(std::move(event));
}

// ---------------------------------------------------------------- annotations of PodGroups

// One at a time per PodGroup; what is decided meanwhile goes with the next request.
kube::Async<void> LiveSink::patch_group(std::string ns, std::string name,
                                        std::shared_ptr<Patching> patching) {
  const CountedWrite counted(open_writes_);
  const std::string key = ns + "/" + name;
  kube::Backoff backoff;
  const auto start = kube::Clock::now();
  while (patches_.contains(key)) {
    const AnnotationChanges changes = std::move(patches_[key]);
    patches_.erase(key);
    json annotations = json::object();
    for (const auto& [annotation, value] : changes) annotations[annotation] = value ? json(*value) : json();
    const json body = {{"metadata", {{"annotations", annotations}}}};
    ApiRequest request{.method = "PATCH",
                       .path = resources::kPodGroups.path(ns, name),
                       .body = body.dump(),
                       .content_type = kube::kMergePatch,
                       .timeout = kWriteTimeout};
    const HttpResponse answer = co_await p_.client.send(std::move(request));
    if (answer.ok()) {
      p_.source.pod_groups().saw(answer.body);
      continue;
    }
    const bool may_go_on = (is_transient(answer) || answer.status == 409) && p_.client.may_write() &&
                           !p_.client.loop().stopping() && kube::Clock::now() - start < kGiveUp;
    if (may_go_on) {
      co_await p_.client.loop().sleep(backoff.next(answer.retry_after));
      AnnotationChanges& waiting = patches_[key];
      waiting.insert(changes.begin(), changes.end());  // what was decided meanwhile wins
      continue;
    }
    if (answer.status != 404) {
      p_.metrics.write_failed("annotate");
      p_.log.repeated_warning("a PodGroup could not be annotated: " + describe(answer), {{"podGroup", key}});
    }
    patching->failed = true;
    p_.source.tell(PatchEnded{ns, name});
  }
  patching_.erase(key);
  patching->done.open();
}

}  // namespace muster::serve
