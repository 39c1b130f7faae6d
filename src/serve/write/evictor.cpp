// One eviction from its receipt to its answer, and what is told of it.
#include "serve/write/evictor.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "kube/resource.hpp"
#include "model/cluster.hpp"
#include "model/decisions.hpp"
#include "serve/health/log.hpp"
#include "serve/health/metrics.hpp"
#include "serve/read/knowledge.hpp"
#include "serve/write/events.hpp"
#include "serve/write/pod_group_writer.hpp"

namespace muster::serve {
namespace {

using kube::ApiRequest;
using kube::HttpResponse;
using nlohmann::json;
namespace resources = kube::resources;

constexpr auto kProtectionByBudget = std::chrono::seconds(30);

}  // namespace

Evict evict_of(const Cluster& cluster, const EvictDecision& decision) {
  Evict evict{.pod = identity_of(cluster, decision.task), .action = decision.action};
  evict.message = fmt::format("pod {} was evicted by {}", evict.pod.full_name(), decision.action);
  if (!decision.contender.valid()) return evict;
  evict.contender = cluster.job(decision.contender).name;
  evict.contender_ns = cluster.job(decision.contender).ns;
  evict.message += fmt::format(" to make room for {}/{}", evict.contender_ns, evict.contender);
  return evict;
}

ApiRequest Evictor::request_for(const PodIdentity& pod) const {
  const json preconditions = {{"uid", pod.uid}};
  const std::string path = resources::kPods.path(pod.ns, pod.name);
  if (evict_by_ == EvictBy::kDelete) {
    const json options = {{"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"preconditions", preconditions}};
    return {.method = "DELETE", .path = path, .body = options.dump(), .lane = kube::Lane::kEviction};
  }
  const json body = {{"apiVersion", "policy/v1"},
                     {"kind", "Eviction"},
                     {"metadata", {{"name", pod.name}, {"namespace", pod.ns}}},
                     {"deleteOptions", {{"preconditions", preconditions}}}};
  return {.method = "POST", .path = path + "/eviction", .body = body.dump(), .lane = kube::Lane::kEviction};
}

bool Evictor::is_refused_by_budget(const HttpResponse& answer) const {
  return answer.status == 429 && evict_by_ == EvictBy::kEvictionApi;
}

kube::Async<void> Evictor::carry_out(Evict evict) {
  const CountedWrite counted(open_writes_);
  // A crash between the two must not lose the cooldown.
  if (evict.action == "requeue") {
    const bool is_annotated = co_await groups_.is_annotated(evict.pod.ns, evict.pod.job);
    if (!is_annotated) {
      p_.knowledge.end_eviction(evict.pod.ns, evict.pod.name, evict.pod.uid);
      co_return;
    }
  }
  record(evict);
  if (marks_pods_) co_await mark_disruption(evict);
  const MayRetry may_retry = [this](const HttpResponse& answer) {
    return is_transient(answer) && !is_refused_by_budget(answer);
  };
  ApiRequest request = request_for(evict.pod);
  const HttpResponse answer = co_await send_persistently(p_.client, std::move(request), may_retry);
  if (answer.ok() && evict_by_ == EvictBy::kDelete) p_.knowledge.saw(resources::kPods, answer.body);
  if (answer.ok() || answer.status == 404) co_return;  // the watch will say so
  record_failure(evict, answer);
  co_await look_at(p_, evict.pod);
  p_.knowledge.end_eviction(evict.pod.ns, evict.pod.name, evict.pod.uid);
}

void Evictor::record_failure(const Evict& evict, const HttpResponse& answer) {
  if (is_refused_by_budget(answer)) {
    newly_protected_.emplace_back(evict.pod.ns + "/" + evict.pod.job,
                                  std::chrono::system_clock::now() + kProtectionByBudget);
    p_.log.info("a disruption budget protects a victim", {{"pod", evict.pod.full_name()}});
  } else if (answer.status != 409) {
    p_.metrics.write_failed("evict");
    p_.log.repeated_warning("a pod could not be evicted: " + describe(answer),
                            {{"pod", evict.pod.full_name()}});
  }
}

void Evictor::note_protected_jobs() {
  for (const auto& [job, until] : std::exchange(newly_protected_, {})) protected_jobs_.add(job, until);
}

kube::Async<void> Evictor::mark_disruption(const Evict& evict) {
  const json condition = {{"type", "DisruptionTarget"},
                          {"status", "True"},
                          {"reason", "PreemptionByScheduler"},
                          {"message", evict.message}};
  const json body = {{"metadata", {{"uid", evict.pod.uid}}},
                     {"status", {{"conditions", json::array({condition})}}}};
  ApiRequest request{.method = "PATCH",
                     .path = resources::kPods.path(evict.pod.ns, evict.pod.name) + "/status",
                     .body = body.dump(),
                     .content_type = kube::kStrategicPatch,
                     .lane = kube::Lane::kEviction};
  co_await p_.client.send(std::move(request));
}

void Evictor::record(const Evict& evict) {
  p_.log.info("evict", {{"pod", evict.pod.full_name()},
                        {"action", evict.action},
                        {"for", evict.contender.empty() ? "" : evict.contender_ns + "/" + evict.contender}});
  if (evict.pod.job.empty()) return;
  Event event{.about = {resources::kPodGroups.api_version(), "PodGroup", evict.pod.ns, evict.pod.job,
                        evict.pod.job_uid},
              .reason = "Evict",
              .message = evict.message,
              .annotations = {{"num-evicted-pods", "1"}, {"evictor-action-type", evict.action}}};
  if (!evict.contender.empty()) {
    event.annotations["evictor-pod-group-name"] = evict.contender;
    event.annotations["evictor-pod-group-namespace"] = evict.contender_ns;
  }
  p_.events.record(std::move(event));
}

}  // namespace muster::serve
