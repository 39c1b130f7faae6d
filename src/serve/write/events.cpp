// Decides which events are sent, which only raise a count, and which are suppressed.
#include "serve/write/events.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "kube/json_text.hpp"
#include "kube/resource.hpp"
#include "serve/health/log.hpp"
#include "util/printable.hpp"

namespace muster::serve {
namespace {

using kube::Clock;

// As in the Kubernetes clients: 25 events of one object at once, then one every five minutes.
constexpr double kBurst = 25;
constexpr double kPerSecond = 1.0 / 300;
// Limits for all objects together. Under heavy load normal events, such as placements, are suppressed earlier
// than warnings.
constexpr double kBurstOfAll = 400, kPerSecondOfAll = 20, kLeftToWarnings = 100;
// As in the Kubernetes clients; more than the events sent in three minutes.
constexpr std::size_t kRemembered = 4096;
constexpr std::size_t kLongestMessage = 1000;

// The namespace of events about the object.
std::string namespace_for(const ObjectReference& about) { return about.ns.empty() ? "default" : about.ns; }

std::uint64_t first_name() {
  return static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
}

}  // namespace

Events::Events(kube::ApiClient& client, Log& log, std::string component, std::chrono::nanoseconds repeat)
    : client_(client),
      log_(log),
      component_(std::move(component)),
      repeat_(repeat),
      sent_(kRemembered),
      allowances_(kRemembered),
      of_all_{.most = kBurstOfAll, .per_second = kPerSecondOfAll},
      last_name_(first_name()) {}

bool Events::Allowance::take(double leave) {
  const auto now = Clock::now();
  tokens = std::min(most, tokens + std::chrono::duration<double>(now - at).count() * per_second);
  at = now;
  if (tokens < 1 + leave) return false;
  tokens -= 1;
  return true;
}

// An object that has exhausted its own limit does not consume the common one.
bool Events::allows(const std::string& object, bool is_warning) {
  Allowance* of_object = allowances_.find(object);
  if (of_object == nullptr) of_object = &allowances_.put(object, {.most = kBurst, .per_second = kPerSecond});
  return of_object->take() && of_all_.take(is_warning ? 0 : kLeftToWarnings);
}

void Events::record(Event event) {
  event.message = beginning_of(event.message, kLongestMessage);
  const ObjectReference& about = event.about;
  const std::string object = fmt::format("{}\n{}\n{}", about.kind, about.ns, about.name);
  const std::string text = fmt::format("{}\n{}\n{}\n{}", object, about.uid, event.reason, event.message);
  Sent* const sent = sent_.find(text);
  if (sent != nullptr) ++sent->count;
  const bool is_soon = sent != nullptr && Clock::now() - sent->at < repeat_;
  if (is_soon || !allows(object, event.is_warning)) return;
  const std::string now = kube::wall_clock_text();
  if (sent != nullptr) {
    sent->at = Clock::now();
    kube::spawn(repeat(std::move(event), *sent, now), "writing an event");
  } else {
    const std::string name = fmt::format("{}.{:x}", about.name, ++last_name_);
    kube::spawn(create(std::move(event), sent_.put(text, {.name = name, .at = Clock::now()}), now),
                "writing an event");
  }
}

kube::Async<void> Events::create(Event event, Sent sent, std::string time) {
  const ObjectReference& about = event.about;
  const std::string ns = namespace_for(about);
  nlohmann::json body = {{"apiVersion", "v1"},
                         {"kind", "Event"},
                         {"metadata", {{"name", sent.name}, {"namespace", ns}}},
                         {"involvedObject",
                          {{"apiVersion", about.api_version},
                           {"kind", about.kind},
                           {"namespace", about.ns},
                           {"name", about.name},
                           {"uid", about.uid}}},
                         {"type", event.is_warning ? "Warning" : "Normal"},
                         {"reason", event.reason},
                         {"message", event.message},
                         {"source", {{"component", component_}}},
                         {"firstTimestamp", time},
                         {"lastTimestamp", time},
                         {"count", sent.count}};
  if (!event.annotations.empty()) body["metadata"]["annotations"] = event.annotations;
  kube::ApiRequest request{.method = "POST",
                           .path = kube::resources::kEvents.path(ns),
                           .body = kube::json_text(body),
                           .lane = kube::Lane::kBackground};
  const auto answer = co_await client_.send(std::move(request));
  if (!answer.ok() && client_.may_write() && !client_.is_draining())
    log_.repeated_warning("could not write an event: " + describe(answer));
}

// The API server deletes events after a while, by default after an hour; the event is then created anew.
kube::Async<void> Events::repeat(Event event, Sent sent, std::string time) {
  const nlohmann::json body = {{"count", sent.count}, {"lastTimestamp", time}};
  kube::ApiRequest request{.method = "PATCH",
                           .path = kube::resources::kEvents.path(namespace_for(event.about), sent.name),
                           .body = kube::json_text(body),
                           .content_type = kube::kMergePatch,
                           .lane = kube::Lane::kBackground};
  const auto answer = co_await client_.send(std::move(request));
  if (answer.status == 404) co_await create(std::move(event), std::move(sent), std::move(time));
}

}  // namespace muster::serve
