// Carries out an eviction: writes its record, sends the request, and reports the outcome.
#include "serve/write/evictor.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "kube/json_text.hpp"
#include "kube/resource.hpp"
#include "kube/together.hpp"
#include "model/cluster.hpp"
#include "model/decisions.hpp"
#include "serve/health/log.hpp"
#include "serve/health/metrics.hpp"
#include "serve/read/observed_state.hpp"
#include "serve/write/disruption_budgets.hpp"
#include "serve/write/events.hpp"
#include "serve/write/pod_group_writer.hpp"
#include "util/keys.hpp"

namespace muster::serve {
namespace {

using kube::ApiRequest;
using kube::HttpResponse;
using nlohmann::json;
namespace resources = kube::resources;

constexpr auto kProtection = std::chrono::seconds(30);
constexpr const char* kBudgetsPath = "/apis/policy/v1/namespaces/";

bool is_refused_by_budget(const HttpResponse& answer) {
  return answer.status == 429 ||
         (answer.status == 500 && answer.body.find("more than one PodDisruptionBudget") != std::string::npos);
}

// Groups evictions with the same purpose: the victims for one preemptor, or one evicted gang. They are useful
// only together.
std::string purpose_of(const Evict& evict) {
  const std::string job = evict.preemptor.empty() ? evict.job() : evict.preemptor_ns + "/" + evict.preemptor;
  return evict.action + " " + job;
}

}  // namespace

Evict evict_of(const Cluster& cluster, const EvictDecision& decision) {
  Evict evict{.pod = identity_of(cluster, decision.task),
              .labels = cluster.labels_of(decision.task),
              .action = decision.action};
  evict.message = fmt::format("pod {} was evicted by {}", evict.pod.full_name(), decision.action);
  if (!decision.preemptor.valid()) return evict;
  evict.preemptor = cluster.job(decision.preemptor).name;
  evict.preemptor_ns = cluster.job(decision.preemptor).ns;
  evict.message += fmt::format(" to make room for {}/{}", evict.preemptor_ns, evict.preemptor);
  return evict;
}

void Evictor::carry_out(std::vector<Evict> evictions) {
  std::map<std::string, Victims> purposes;
  for (Evict& evict : evictions) purposes[purpose_of(evict)].push_back(std::move(evict));
  for (auto& [purpose, victims] : purposes)
    kube::spawn(carry_out_together(std::move(victims)), "evicting pods");
}

kube::Async<void> Evictor::carry_out_together(Victims victims) {
  const CountedWrite counted(open_writes_);
  try {
    co_await try_together(&victims);
  } catch (const std::exception& failure) {
    p_.log.error(std::string("an eviction failed: ") + failure.what(),
                 {{"pod", victims.front().pod.full_name()}});
    p_.metrics.write_failed("evict");
    for (const Evict& evict : victims) p_.knowledge.end_eviction(evict.pod.ns, evict.pod.name, evict.pod.uid);
  }
}

kube::Async<void> Evictor::try_together(const Victims* victims) {
  bool may_begin = co_await write_cooldowns(victims);
  if (may_begin) may_begin = co_await budgets_allow(victims);
  if (!may_begin) {
    for (const Evict& evict : *victims)
      p_.knowledge.end_eviction(evict.pod.ns, evict.pod.name, evict.pod.uid);
    co_return;
  }
  co_await write_receipts(victims);
  std::map<std::string, int> of_job;
  for (const Evict& evict : *victims) ++of_job[evict.job()];
  std::vector<kube::Async<void>> all;
  for (const Evict& evict : *victims) all.push_back(carry_out_one(&evict, of_job[evict.job()] > 1));
  co_await kube::together(std::move(all));
}

// Writes the cooldowns of a requeue before its evictions, so that a crash in between cannot lose them. If one
// cannot be written, no pod is evicted, and the cooldowns already written are removed.
kube::Async<bool> Evictor::write_cooldowns(const Victims* victims) {
  if (victims->front().action != "requeue") co_return true;
  std::map<std::string, const Evict*> written, refused;
  for (const Evict& evict : *victims) {
    if (written.contains(evict.job()) || refused.contains(evict.job())) continue;
    const bool is_written = co_await groups_.is_annotated(evict.pod.ns, evict.pod.job);
    (is_written ? written : refused)[evict.job()] = &evict;
  }
  for (const auto& [job, evict] : refused) protect(*evict, plugins::kWithoutCooldown);
  if (refused.empty()) p_.metrics.requeue_committed(victims->front().nominators);
  for (const auto& [job, evict] : written)
    if (!refused.empty())
      groups_.annotate(evict->pod.ns, evict->pod.job,
                       {{keys::kRequeueNotBefore, std::nullopt}, {keys::kRequeuedAt, std::nullopt}});
  co_return refused.empty();
}

// Writes the eviction records first, so that even after a crash no eviction is unexplained. If a record
// cannot be written, this is logged and the victims are evicted anyway.
kube::Async<void> Evictor::write_receipts(const Victims* victims) {
  for (const Evict& evict : *victims)
    if (evict.has_record) co_await groups_.is_annotated(evict.pod.ns, evict.pod.job);
}

// Checks the victims one by one with dry runs, and all together by counting.
kube::Async<bool> Evictor::budgets_allow(const Victims* victims) {
  if (evict_by_ != EvictBy::kEvictionApi) co_return true;
  bool is_allowed = co_await counts_allow(victims);
  if (!is_allowed) co_return false;
  std::vector<kube::Async<void>> asked;
  for (const Evict& evict : *victims) asked.push_back(dry_run(&evict, &is_allowed));
  co_await kube::together(std::move(asked));
  co_return is_allowed;
}

kube::Async<bool> Evictor::counts_allow(const Victims* victims) {
  std::map<std::string, std::vector<std::size_t>> by_namespace;
  for (std::size_t i = 0; i < victims->size(); ++i) by_namespace[(*victims)[i].pod.ns].push_back(i);
  bool is_allowed = true;
  for (const auto& [ns, places] : by_namespace) {
    const HttpResponse answer =
        co_await p_.client.get(kBudgetsPath + kube::path_part(ns) + "/poddisruptionbudgets");
    if (!answer.ok()) continue;  // the dry runs will find refusals
    std::vector<Labels> pods;
    for (const std::size_t place : places) pods.push_back((*victims)[place].labels);
    for (const std::size_t at : protected_pods(budgets_in(answer.body), pods)) {
      protect_by_budget((*victims)[places[at]]);
      is_allowed = false;
    }
  }
  co_return is_allowed;
}

kube::Async<void> Evictor::dry_run(const Evict* evict, bool* is_allowed) {
  ApiRequest request = request_for(evict->pod);
  request.path += "?dryRun=All";
  const MayRetry may_retry = [](const HttpResponse& answer) {
    return is_transient(answer) && !is_refused_by_budget(answer);
  };
  const HttpResponse answer = co_await send_persistently(&p_.client, std::move(request), may_retry);
  if (!is_refused_by_budget(answer)) co_return;
  protect_by_budget(*evict);
  *is_allowed = false;
}

ApiRequest Evictor::request_for(const PodIdentity& pod) const {
  const json preconditions = {{"uid", pod.uid}};
  const std::string path = resources::kPods.path(pod.ns, pod.name);
  if (evict_by_ == EvictBy::kDelete) {
    const json options = {{"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"preconditions", preconditions}};
    return {
        .method = "DELETE", .path = path, .body = kube::json_text(options), .lane = kube::Lane::kEviction};
  }
  const json body = {{"apiVersion", "policy/v1"},
                     {"kind", "Eviction"},
                     {"metadata", {{"name", pod.name}, {"namespace", pod.ns}}},
                     {"deleteOptions", {{"preconditions", preconditions}}}};
  return {.method = "POST",
          .path = path + "/eviction",
          .body = kube::json_text(body),
          .lane = kube::Lane::kEviction};
}

// If the job loses several pods, an eviction is retried even when a budget refuses it: the budget allowed it
// a moment ago, and the other pods are already being evicted.
kube::Async<void> Evictor::carry_out_one(const Evict* evict, bool is_of_several) {
  record(*evict);
  if (marks_pods_) co_await mark_disruption(evict);
  const MayRetry may_retry = [is_of_several](const HttpResponse& answer) {
    return is_transient(answer) && (is_of_several || !is_refused_by_budget(answer));
  };
  ApiRequest request = request_for(evict->pod);
  const HttpResponse answer = co_await send_persistently(&p_.client, std::move(request), may_retry);
  if (answer.ok() && evict_by_ == EvictBy::kDelete) p_.knowledge.saw(resources::kPods, answer.body);
  if (answer.ok() && !evict->pod.job.empty())
    p_.metrics.evicted({evict->pod.ns, evict->pod.job, evict->pod.job_uid}, evict->action);
  if (answer.ok() || answer.status == 404) co_return;  // the watch will show it
  record_failure(*evict, answer);
  co_await look_at(p_, evict->pod);
  p_.knowledge.end_eviction(evict->pod.ns, evict->pod.name, evict->pod.uid);
}

void Evictor::record_failure(const Evict& evict, const HttpResponse& answer) {
  if (evict_by_ == EvictBy::kEvictionApi && is_refused_by_budget(answer)) return protect_by_budget(evict);
  if (answer.status == 409) return;
  p_.metrics.write_failed("evict");
  p_.log.repeated_warning("could not evict a pod: " + describe(answer), {{"pod", evict.pod.full_name()}});
}

void Evictor::protect_by_budget(const Evict& evict) {
  if (!newly_protected_.contains(evict.job()))
    p_.log.info("a disruption budget protects a victim", {{"pod", evict.pod.full_name()}});
  protect(evict, plugins::kByBudget);
}

void Evictor::protect(const Evict& evict, std::string_view rule) {
  newly_protected_[evict.job()] = {rule, std::chrono::system_clock::now() + kProtection};
}

bool Evictor::note_protected_jobs() {
  const bool some_ended = protected_jobs_.forget_before(std::chrono::system_clock::now());
  const auto added = std::exchange(newly_protected_, {});
  for (const auto& [job, protection] : added) protected_jobs_.add(job, protection);
  return some_ended || !added.empty();
}

kube::Async<void> Evictor::mark_disruption(const Evict* evict) {
  const json condition = {{"type", "DisruptionTarget"},
                          {"status", "True"},
                          {"reason", "PreemptionByScheduler"},
                          {"message", evict->message}};
  const json body = {{"metadata", {{"uid", evict->pod.uid}}},
                     {"status", {{"conditions", json::array({condition})}}}};
  ApiRequest request{.method = "PATCH",
                     .path = resources::kPods.path(evict->pod.ns, evict->pod.name) + "/status",
                     .body = kube::json_text(body),
                     .content_type = kube::kStrategicPatch,
                     .lane = kube::Lane::kEviction};
  co_await p_.client.send(std::move(request));
}

void Evictor::record(const Evict& evict) {
  p_.log.info("evict", {{"pod", evict.pod.full_name()},
                        {"action", evict.action},
                        {"for", evict.preemptor.empty() ? "" : evict.preemptor_ns + "/" + evict.preemptor}});
  if (evict.pod.job.empty()) return;
  const ObjectReference of_group{resources::kPodGroups.api_version(), "PodGroup", evict.pod.ns, evict.pod.job,
                                 evict.pod.job_uid};
  const ObjectReference of_pod{"v1", "Pod", evict.pod.ns, evict.pod.name, evict.pod.uid};
  Event event{.about = evict.pod.has_group ? of_group : of_pod,
              .reason = "Evict",
              .message = evict.message,
              .annotations = {{"num-evicted-pods", "1"}, {"evictor-action-type", evict.action}}};
  if (!evict.preemptor.empty()) {
    event.annotations["evictor-pod-group-name"] = evict.preemptor;
    event.annotations["evictor-pod-group-namespace"] = evict.preemptor_ns;
  }
  p_.events.record(std::move(event));
}

}  // namespace muster::serve
