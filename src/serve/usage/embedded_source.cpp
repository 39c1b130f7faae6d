// Accumulates the resources that queues use from cycle to cycle, and saves the sums regularly.
#include "serve/usage/embedded_source.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "kube/api_client.hpp"
#include "kube/json_text.hpp"
#include "kube/resource.hpp"
#include "model/cluster.hpp"
#include "serve/health/log.hpp"

namespace muster::serve {
namespace {

using nlohmann::json;

constexpr const char* kKey = "usage.json";
// The API server rejects ConfigMaps above 1 MiB.
constexpr std::size_t kMostText = 1'000'000;

const kube::Resource kConfigMaps = kube::resource_of(kind_named(ConfigMapObject::kKind));

}  // namespace

EmbeddedSource::EmbeddedSource(const WriteServices& parts, const UsageSettings& settings, std::string ns,
                               std::string name)
    : p_(parts), ns_(std::move(ns)), name_(std::move(name)), history_(settings) {}

// Never writes before the stored history was read.
kube::Async<UsageAnswer> EmbeddedSource::refresh(TimePoint now) {
  UsageAnswer answer;
  const bool was_loaded = is_loaded_;
  if (!was_loaded) answer.trouble = co_await load();
  answer.was_reached = is_loaded_;
  if (!is_loaded_) co_return answer;
  count_until(now);
  answer.shares = history_.shares(now);
  if (was_loaded) answer.trouble = co_await save();
  co_return answer;
}

kube::Async<void> EmbeddedSource::finish() {
  if (!is_loaded_ || !p_.client.may_write()) co_return;
  count_until(exact_wall_clock());
  const std::string trouble = co_await save();
  if (!trouble.empty()) p_.log.warning(trouble);
}

void EmbeddedSource::saw(const Cluster& cluster, TimePoint now) {
  if (!is_loaded_) return;
  count_until(now);
  Current current{now, {}, cluster.total().shares()};
  for (QueueId q : cluster.queue_tree().depth_first())
    current.held[cluster.queue(q).name] = cluster.use(q).allocated.shares();
  current_ = std::move(current);
}

void EmbeddedSource::count_until(TimePoint now) {
  if (!current_) return;
  history_.add(current_->since, now, current_->held, current_->capacity);
  current_->since = now;
}

kube::Async<std::string> EmbeddedSource::load() {
  const kube::HttpResponse answer = co_await p_.client.get(kConfigMaps.path(ns_, name_));
  is_loaded_ = answer.ok() || answer.status == 404;
  if (answer.ok()) take(answer.body);
  if (is_loaded_) co_return "";
  co_return fmt::format("could not read ConfigMap {}/{}: {}", ns_, name_, describe(answer));
}

void EmbeddedSource::take(const std::string& config_map) {
  const json object = json::parse(config_map, nullptr, false);
  const auto data = object.is_object() ? object.find("data") : object.end();
  if (data == object.end() || !data->is_object() || !data->contains(kKey)) return;
  const json& text = (*data)[kKey];
  const auto restored = history_.restore(text.is_string() ? text.get<std::string>() : "");
  if (!restored)
    p_.log.warning(fmt::format("past use in ConfigMap {}/{} is unusable: {}; starting from zero", ns_, name_,
                               restored.error().message));
}

kube::Async<std::string> EmbeddedSource::save() {
  const std::string text = history_.text();
  if (text.size() > kMostText)
    co_return fmt::format(
        "past use of all queues does not fit into ConfigMap {}/{} and would be lost in a restart; set "
        "clientType to prometheus",
        ns_, name_);
  json object = {{"metadata", {{"name", name_}}}, {"data", {{kKey, text}}}};
  kube::ApiRequest patch{.method = "PATCH",
                         .path = kConfigMaps.path(ns_, name_),
                         .body = kube::json_text(object),
                         .content_type = kube::kMergePatch,
                         .lane = kube::Lane::kBackground};
  kube::HttpResponse answer = co_await p_.client.send(std::move(patch));
  if (answer.status == 404) {
    kube::ApiRequest create{.method = "POST",
                            .path = kConfigMaps.path(ns_),
                            .body = kube::json_text(object),
                            .lane = kube::Lane::kBackground};
    answer = co_await p_.client.send(std::move(create));
  }
  if (answer.ok()) co_return "";
  co_return fmt::format("could not write ConfigMap {}/{}: {}", ns_, name_, describe(answer));
}

}  // namespace muster::serve
