// One bind from its needs to its answer, and what is told of it.
#include "serve/write/binder.hpp"

#include <fmt/format.h>

#include "kube/resource.hpp"
#include "serve/health/log.hpp"
#include "serve/health/metrics.hpp"
#include "serve/read/knowledge.hpp"
#include "serve/write/events.hpp"
#include "serve/write/pod_group_writer.hpp"

namespace muster::serve {
namespace {

using kube::HttpResponse;
namespace resources = kube::resources;

constexpr auto kPause = std::chrono::seconds(5);

// The pod is gone, is another one, or has been bound: reading it tells.
bool is_settled(const HttpResponse& answer) { return answer.status == 404 || answer.status == 409; }

}  // namespace

kube::Async<void> Binder::carry_out(Bind bind) {
  const CountedWrite counted(open_writes_);
  const std::string problem = co_await obstacle(bind);
  if (!problem.empty()) co_return co_await give_up(std::move(bind), problem);
  const auto start = kube::Clock::now();
  const bool is_direct = binding_ == Binding::kDirect;
  kube::ApiRequest request = is_direct ? binding_of(bind, pool_) : bind_request_of(bind, pool_);
  const HttpResponse answer = co_await send_persistently(p_.client, std::move(request));
  if (answer.ok()) {
    if (!is_direct) p_.knowledge.saw(resources::kBindRequests, answer.body);
    record_success(bind, kube::Clock::now() - start);
    co_return;
  }
  bool is_bound = false;
  if (is_settled(answer)) is_bound = co_await look_whether_bound(p_, bind.pod);
  if (is_bound) co_return;
  if (!is_settled(answer)) record_failure(bind, describe(answer));
  p_.knowledge.end_bind(bind.pod.ns, bind.pod.name, bind.pod.uid);
}

// Why the pod may not start yet; "" where it may. A binding names the pod's PodGroup, so that the pod grouper
// can make it even after a crash: the pod need not wait for it. A BindRequest does not, and leaves the rest
// to KAI's binder.
kube::Async<std::string> Binder::obstacle(const Bind& bind) {
  if (binding_ == Binding::kDirect) {
    groups_.make_soon(bind.pod.ns, bind.pod.job);
    if (bind.needs.shares_gpu) warn_of_shared_gpu(bind);
    co_return co_await provide(p_, bind.pod, bind.node, bind.needs);
  }
  const bool has_group = co_await groups_.is_there(bind.pod.ns, bind.pod.job);
  co_return has_group ? std::string() : "its PodGroup could not be made";
}

// The place stays taken for a while, so that the same is not tried in every cycle.
kube::Async<void> Binder::give_up(Bind bind, std::string why) {
  record_failure(bind, why);
  co_await p_.client.loop().sleep(kPause);
  p_.knowledge.end_bind(bind.pod.ns, bind.pod.name, bind.pod.uid);
}

void Binder::warn_of_shared_gpu(const Bind& bind) {
  const std::string text =
      "nobody reserves the shared GPU and shows it to the containers: needs --binding bindrequest";
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
  p_.log.repeated_warning("a pod could not be bound: " + why,
                          {{"pod", bind.pod.full_name()}, {"node", bind.node}});
  p_.events.record(
      {.about = {"v1", "Pod", bind.pod.ns, bind.pod.name, bind.pod.uid},
       .is_warning = true,
       .reason = "FailedBinding",
       .message = fmt::format("pod {} could not be bound to {}: {}", bind.pod.full_name(), bind.node, why)});
}

void Binder::remove_bind_request(const std::string& ns, const std::string& name) {
  if (binding_ == Binding::kBindRequest) kube::spawn(delete_bind_request(ns, name));
}

kube::Async<void> Binder::delete_bind_request(std::string ns, std::string name) {
  const CountedWrite counted(open_writes_);
  kube::ApiRequest request{.method = "DELETE", .path = resources::kBindRequests.path(ns, name)};
  const HttpResponse answer = co_await send_persistently(p_.client, std::move(request));
  if (!answer.ok() && answer.status != 404)
    p_.log.repeated_warning("a failed BindRequest could not be deleted: " + describe(answer),
                            {{"pod", ns + "/" + name}});
}

}  // namespace muster::serve
