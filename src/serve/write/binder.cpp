// Carries out a bind: provides what the pod needs, sends the request, and reports the outcome.
#include "serve/write/binder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "kube/json_text.hpp"
#include "kube/resource.hpp"
#include "kube/together.hpp"
#include "serve/health/log.hpp"
#include "serve/health/metrics.hpp"
#include "serve/read/live_source.hpp"
#include "serve/read/observed_state.hpp"
#include "serve/write/events.hpp"
#include "serve/write/gpu_reservations.hpp"
#include "serve/write/pod_group_writer.hpp"

namespace muster::serve {
namespace {

using kube::HttpResponse;
namespace resources = kube::resources;

// The pod is gone, was replaced, or has been bound: reading it tells which.
bool is_settled(const HttpResponse& answer) { return answer.status == 404 || answer.status == 409; }

std::string job_of(const Bind& bind) { return bind.pod.ns + "/" + bind.pod.job; }

kube::ApiRequest as_dry_run(kube::ApiRequest request) {
  request.path += "?dryRun=All";
  return request;
}

}  // namespace

// The attempt to bind one pod, with its problem; "": none.
struct Binder::Attempt {
  std::string problem;
};

// Binds the pods of a recently refused job together, all others independently.
void Binder::carry_out(std::vector<Bind> binds) {
  std::map<std::string, std::vector<Bind>> cautious;
  for (Bind& bind : binds) {
    if (refused_.contains(job_of(bind)))
      cautious[job_of(bind)].push_back(std::move(bind));
    else
      kube::spawn(carry_out_one(std::move(bind)), "binding a pod");
  }
  for (auto& [job, pods] : cautious) kube::spawn(carry_out_together(std::move(pods)), "binding pods");
}

kube::Async<void> Binder::carry_out_one(Bind bind) {
  const CountedWrite counted(open_writes_);
  try {
    co_await try_one(&bind);
  } catch (const std::exception& failure) {
    abandon(bind, failure.what());
  }
}

kube::Async<void> Binder::try_one(Bind* bind) {
  Attempt attempt;
  attempt.problem = co_await obstacle(bind);
  if (attempt.problem.empty()) co_await send(bind, &attempt);
  if (attempt.problem.empty()) co_return;
  const PodState state = co_await look_at(p_, bind->pod);  // not in the condition: g++ 12 gets that wrong
  if (state == PodState::kGone)
    co_await give_up(bind);
  else
    co_await refuse(bind, attempt.problem);
}

// Binds no pods that could not start: if a dry run refuses too many pods of a pod set, no bind is sent.
kube::Async<void> Binder::carry_out_together(std::vector<Bind> binds) {
  const CountedWrite counted(open_writes_);
  std::string problem;
  try {
    co_await try_together(&binds);
  } catch (const std::exception& failure) {
    problem = failure.what();
  }
  if (problem.empty()) co_return;
  for (const Bind& bind : binds) abandon(bind, problem);
}

kube::Async<void> Binder::try_together(std::vector<Bind>* batch) {
  std::vector<Bind>& binds = *batch;
  std::vector<Attempt> attempts(binds.size());
  std::vector<kube::Async<void>> asked;
  for (std::size_t i = 0; i < binds.size(); ++i) asked.push_back(dry_run(&binds[i], &attempts[i]));
  co_await kube::together(std::move(asked));
  std::map<std::size_t, int> refused;
  for (std::size_t i = 0; i < binds.size(); ++i) refused[binds[i].pod_set] += !attempts[i].problem.empty();
  const bool may_start =
      std::ranges::all_of(binds, [&](const Bind& bind) { return refused[bind.pod_set] <= bind.spare; });
  std::vector<kube::Async<void>> sent;
  for (std::size_t i = 0; i < binds.size(); ++i)
    if (may_start && attempts[i].problem.empty()) sent.push_back(send(&binds[i], &attempts[i]));
  co_await kube::together(std::move(sent));
  std::vector<kube::Async<void>> abandoned_binds;
  bool was_refused = false;
  for (std::size_t i = 0; i < binds.size(); ++i) {
    was_refused |= !attempts[i].problem.empty();
    if (!attempts[i].problem.empty())
      abandoned_binds.push_back(refuse(&binds[i], attempts[i].problem));
    else if (!may_start)
      abandoned_binds.push_back(give_up(&binds[i]));
  }
  co_await kube::together(std::move(abandoned_binds));
  if (!was_refused) refused_.forget(job_of(binds.front()));
}

kube::Async<void> Binder::dry_run(Bind* bind, Attempt* attempt) {
  attempt->problem = co_await obstacle(bind);
  if (!attempt->problem.empty()) co_return;
  kube::ApiRequest request = as_dry_run(request_of(*bind));
  const HttpResponse answer = co_await send_persistently(&p_.client, std::move(request));
  if (!answer.ok() && !is_settled(answer)) attempt->problem = describe(answer);
}

kube::Async<void> Binder::send(const Bind* bind, Attempt* attempt) {
  const auto start = kube::Clock::now();
  kube::ApiRequest request = request_of(*bind);
  const HttpResponse answer = co_await send_persistently(&p_.client, std::move(request));
  if (answer.ok()) {
    if (binding_ == Binding::kBindRequest) p_.knowledge.saw(resources::kBindRequests, answer.body);
    record_success(*bind, kube::Clock::now() - start);
    co_return;
  }
  PodState state = PodState::kWaits;
  if (is_settled(answer)) state = co_await look_at(p_, bind->pod);
  if (state == PodState::kWaits) attempt->problem = describe(answer);
  if (state == PodState::kGone) co_await give_up(bind);
}

kube::ApiRequest Binder::request_of(const Bind& bind) const {
  return binding_ == Binding::kDirect ? binding_of(bind, pool_) : bind_request_of(bind, pool_);
}

// Returns why the pod cannot be bound yet, or "" if it can. A Binding names the pod's PodGroup, so the pod
// grouper can create it even after a crash and the pod need not wait for it. A BindRequest does not name it,
// and leaves all else to KAI's binder.
kube::Async<std::string> Binder::obstacle(Bind* bind) {
  if (binding_ == Binding::kDirect) {
    groups_.bind_names(bind->pod.ns, bind->pod.job);
    if (bind->needs.shares_gpu && !reservations_.is_on()) warn_of_shared_gpu(*bind);
    if (bind->needs.shares_gpu && reservations_.is_on()) {
      bind->gpu_devices.clear();
      const std::string problem =
          co_await reservations_.reserve(bind->node, bind->gpu_groups, &bind->gpu_devices);
      if (!problem.empty()) co_return problem;
    }
    co_return co_await provide(p_, &bind->pod, bind->node, &bind->needs);
  }
  const bool has_group = co_await groups_.is_there(bind->pod.ns, bind->pod.job);
  if (!has_group) co_return "its PodGroup could not be created";
  const BindNeeds needs = needs_of_ours(*bind);
  co_return co_await provide(p_, &bind->pod, bind->node, &needs);
}

BindNeeds Binder::needs_of_ours(const Bind& bind) const {
  return binding_ == Binding::kDirect ? bind.needs : of_containers_only(bind.needs);
}

// Releases what was provided for the pod before another decision is made for it.
kube::Async<void> Binder::give_up(const Bind* bind) {
  const BindNeeds provided = needs_of_ours(*bind);  // not in the call: g++ 12 destroys it twice
  co_await release(p_, &bind->pod, bind->node, &provided);
  p_.knowledge.end_bind(bind->pod.ns, bind->pod.name, bind->pod.uid);
}

// Ends a bind after an exception: what was provided is kept, and the next cycle decides anew.
void Binder::abandon(const Bind& bind, const std::string& why) {
  p_.log.error("a bind failed: " + why, {{"pod", bind.pod.full_name()}});
  p_.metrics.write_failed("bind");
  p_.knowledge.end_bind(bind.pod.ns, bind.pod.name, bind.pod.uid);
}

kube::Async<void> Binder::refuse(const Bind* bind, std::string why) {
  record_failure(*bind, why);
  if (p_.client.may_write())
    refused_.add(job_of(*bind), bind->pod.name, why, std::chrono::system_clock::now());
  co_await give_up(bind);
}

void Binder::warn_of_shared_gpu(const Bind& bind) {
  const std::string text =
      "the shared GPU is neither reserved nor made visible to the containers; set --gpu-reservation-image or "
      "--binding bindrequest";
  p_.log.repeated_warning(text, {{"pod", bind.pod.full_name()}});
  p_.events.record({.about = {"v1", "Pod", bind.pod.ns, bind.pod.name, bind.pod.uid},
                    .is_warning = true,
                    .reason = "SharedGPUNotReserved",
                    .message = text});
}

void Binder::record_success(const Bind& bind, kube::Clock::duration took) {
  p_.metrics.bound(std::chrono::system_clock::now() - bind.pod.created, took);
  if (const auto seen = p_.knowledge.time_since_seen(bind.pod.uid)) p_.metrics.seen_before(*seen);
  p_.log.debug("bound", {{"pod", bind.pod.full_name()}, {"node", bind.node}});
  p_.events.record({.about = {"v1", "Pod", bind.pod.ns, bind.pod.name, bind.pod.uid},
                    .reason = "Scheduled",
                    .message = fmt::format("pod {} is placed on node {}, node pool {}", bind.pod.full_name(),
                                           bind.node, pool_.value.empty() ? "default" : pool_.value)});
}

void Binder::record_failure(const Bind& bind, const std::string& why) {
  p_.metrics.write_failed("bind");
  p_.log.repeated_warning("could not bind a pod: " + why,
                          {{"pod", bind.pod.full_name()}, {"node", bind.node}});
  p_.events.record(
      {.about = {"v1", "Pod", bind.pod.ns, bind.pod.name, bind.pod.uid},
       .is_warning = true,
       .reason = "FailedBinding",
       .message = fmt::format("pod {} could not be bound to {}: {}", bind.pod.full_name(), bind.node, why)});
}

void Binder::bind_request_failed(const BindRequestName& request, const std::string& job) {
  if (binding_ != Binding::kBindRequest) return;
  const std::string why = "KAI's binder gave up on its BindRequest";
  if (!job.empty()) refused_.add(request.ns + "/" + job, request.name, why, std::chrono::system_clock::now());
  remove_bind_request(request);
}

void Binder::remove_bind_request(const BindRequestName& request) {
  if (binding_ == Binding::kBindRequest) kube::spawn(delete_bind_request(request), "deleting a BindRequest");
}

// The precondition on the uid keeps a newer BindRequest of the same name.
kube::Async<void> Binder::delete_bind_request(BindRequestName request) {
  const CountedWrite counted(open_writes_);
  const nlohmann::json options = {
      {"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"preconditions", {{"uid", request.uid}}}};
  kube::ApiRequest deletion{.method = "DELETE",
                            .path = resources::kBindRequests.path(request.ns, request.name),
                            .body = kube::json_text(options)};
  const HttpResponse answer = co_await send_persistently(&p_.client, std::move(deletion));
  if (!answer.ok() && !is_settled(answer))
    p_.log.repeated_warning("could not delete a BindRequest: " + describe(answer),
                            {{"pod", request.ns + "/" + request.name}});
}

}  // namespace muster::serve
