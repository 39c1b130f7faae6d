#include "serve/binder.hpp"

#include <fmt/format.h>

#include "kube/resource.hpp"

namespace muster::serve {
namespace {

using kube::HttpResponse;
namespace resources = kube::resources;

// The pod is gone, is another one, or has been bound: reading it tells.
bool is_settled(const HttpResponse& answer) { return answer.status == 404 || answer.status == 409; }

}  // namespace

kube::Async<void> Binder::carry_out(Bind bind) {
  const CountedWrite counted(open_writes_);
  const bool is_prepared = co_await has_prerequisites(bind);
  if (!is_prepared) {
    p_.source.tell(BindEnded{bind.pod.ns, bind.pod.name, bind.pod.uid});
    co_return;
  }
  const auto start = kube::Clock::now();
  const bool is_direct = binding_ == Binding::kDirect;
  kube::ApiRequest request = is_direct ? binding_of(bind, pool_) : bind_request_of(bind, pool_);
  const HttpResponse answer = co_await send_persistently(p_.client, std::move(request));
  if (answer.ok()) {
    if (!is_direct) p_.source.reflector("BindRequest").saw(answer.body);
    record_success(bind, kube::Clock::now() - start);
    co_return;
  }
  bool is_bound = false;
  if (is_settled(answer)) is_bound = co_await look_whether_bound(p_, bind.pod);
  if (is_bound) co_return;
  if (!is_settled(answer)) record_failure(bind, describe(answer));
  p_.source.tell(BindEnded{bind.pod.ns, bind.pod.name, bind.pod.uid});
}

// A binding names the pod's PodGroup, so that the pod grouper can make it even after a crash: the pod need
// not wait for it. A BindRequest does not.
kube::Async<bool> Binder::has_prerequisites(const Bind& bind) {
  if (binding_ == Binding::kBindRequest) co_return co_await groups_.is_there(bind.pod.ns, bind.pod.job);
  groups_.make_soon(bind.pod.ns, bind.pod.job);
  co_return true;
}

void Binder::record_success(const Bind& bind, kube::Clock::duration took) {
  p_.metrics.bound(std::chrono::system_clock::now() - bind.pod.created, took);
  if (const auto seen = p_.source.time_since_seen(bind.pod.uid)) p_.metrics.seen_before(*seen);
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
