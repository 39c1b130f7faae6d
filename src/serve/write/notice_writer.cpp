// Finds the notices that are new and writes them.
#include "serve/write/notice_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "grouper/fields.hpp"
#include "kube/api_client.hpp"
#include "kube/json.hpp"
#include "kube/json_text.hpp"
#include "kube/resource.hpp"
#include "model/cluster.hpp"
#include "serve/health/log.hpp"
#include "serve/read/observed_state.hpp"
#include "serve/write/pod_group_writer.hpp"
#include "serve/write/queue_notices.hpp"
#include "serve/write/requests.hpp"
#include "util/printable.hpp"

namespace muster::serve {
namespace {

using grouper::text_at;
namespace resources = kube::resources;

constexpr const char* kValidSpec = "muster.dev/ValidSpec";
constexpr std::size_t kLongestText = 2000;
constexpr std::size_t kMostReported = 10'000;  // objects; some are gone

// Returns "" if there is nothing to report.
std::string message_of(const Notice& notice) {
  const std::string message = fmt::format("{}", fmt::join(notice.texts, "; "));
  if (message.size() <= kLongestText) return message;
  return beginning_of(message, kLongestText) + " …";
}

bool is_ours(const nlohmann::json& condition) { return text_at(condition, "/type") == kValidSpec; }

nlohmann::json condition_of(const std::string& message) {
  return {{"type", kValidSpec},
          {"status", message.empty() ? "True" : "False"},
          {"reason", message.empty() ? "AsMeant" : "NotAsMeant"},
          {"message", message},
          {"lastTransitionTime", kube::wall_clock_text()}};
}

// The message of the current condition, or "" if there is none or it reports no problem.
std::string reported_in(const nlohmann::json& conditions) {
  for (const nlohmann::json& condition : conditions)
    if (is_ours(condition) && text_at(condition, "/status") == "False") return text_at(condition, "/message");
  return "";
}

ObjectReference reference_of(const Cluster& cluster, const Notice& notice) {
  if (notice.kind == "Queue") return reference_to(cluster.queue(cluster.find_queue(notice.name)));
  if (notice.kind == "Node")  // the name serves as uid, as in events of the kubelet
    return {.api_version = "v1", .kind = "Node", .ns = "", .name = notice.name, .uid = notice.name};
  return {.api_version = "v1",
          .kind = "Pod",
          .ns = notice.ns,
          .name = notice.name,
          .uid = cluster.task(cluster.find_task(notice.ns, notice.name)).uid};
}

}  // namespace

void NoticeWriter::publish(const Cluster& cluster, ObjectChanges changes, const ReadWarnings& read) {
  changes.jobs.merge(std::exchange(postponed_, {}));
  for (const Notice& notice : review_.look(cluster, changes, read)) tell(cluster, notice);
}

void NoticeWriter::tell(const Cluster& cluster, const Notice& notice) {
  if (notice.kind == "PodGroup")
    report_group(notice);
  else
    report_event(cluster, notice);
}

// ---------------------------------------------------------------- events

void NoticeWriter::report_event(const Cluster& cluster, const Notice& notice) {
  const std::string object = notice.kind + " " + muster::key_of(notice.ns, notice.name);
  const auto known = reported_.find(object);
  const std::vector<std::string> before =
      known == reported_.end() ? std::vector<std::string>() : known->second;
  const auto is_news = [&](const std::string& text) {
    return std::ranges::find(before, text) == before.end();
  };
  for (const std::string& text : notice.texts)
    if (is_news(text))
      p_.events.record({.about = reference_of(cluster, notice),
                        .is_warning = true,
                        .reason = "NotAsMeant",
                        .message = text});
  for (const std::string& text : notice.from_checks)
    if (is_news(text)) p_.log.warning(object + ": " + text);
  if (reported_.size() > kMostReported) reported_.clear();
  if (notice.texts.empty())
    reported_.erase(object);
  else
    reported_[object] = notice.texts;
}

// ---------------------------------------------------------------- conditions

void NoticeWriter::saw_group(const Json& group) {
  const auto metadata = kube::part_at(group, "metadata");
  if (!metadata) return;
  const std::string key = kube::key_of(*metadata);
  const auto conditions = kube::part_at(group, "status", "conditions");
  simdjson::dom::array list;
  if (conditions && conditions->get(list) == simdjson::SUCCESS && list.size() > 0)
    conditions_[key] = simdjson::minify(*conditions);
  else
    conditions_.erase(key);
}

void NoticeWriter::report_group(const Notice& notice) {
  const std::string key = muster::key_of(notice.ns, notice.name);
  const auto known = conditions_.find(key);
  const std::string message = message_of(notice);
  const std::string before =
      known == conditions_.end() ? "" : reported_in(json::parse(known->second, nullptr, false));
  if (message == before) return;
  if (groups_.is_being_made(notice.ns, notice.name) || writing_.contains(key)) {
    postponed_.insert(key);
    return;
  }
  if (!notice.from_checks.empty())
    p_.log.warning(fmt::format("PodGroup {}: {}", key, fmt::join(notice.from_checks, "; ")));
  kube::spawn(set_condition(notice.ns, notice.name, message), "writing a condition");
}

// Replaces our condition and keeps all others.
kube::Async<void> NoticeWriter::set_condition(std::string ns, std::string name, std::string message) {
  const std::string key = muster::key_of(ns, name);
  writing_.insert(key);
  json conditions = json::array();
  if (const auto known = conditions_.find(key); known != conditions_.end())
    for (const json& condition : json::parse(known->second, nullptr, false))
      if (!is_ours(condition)) conditions.push_back(condition);
  conditions.push_back(condition_of(message));
  const json body = {{"status", {{"conditions", conditions}}}};
  kube::ApiRequest patch{.method = "PATCH",
                         .path = resources::kPodGroups.path(ns, name) + "/status",
                         .body = kube::json_text(body),
                         .content_type = kube::kMergePatch,
                         .lane = kube::Lane::kBackground};
  const auto answer = co_await send_persistently(&p_.client, std::move(patch));
  writing_.erase(key);
  if (answer.ok()) p_.knowledge.saw(resources::kPodGroups, answer.body);
  // A failed write is attempted again when the object changes next.
  if (!answer.ok() && answer.status != 404)
    p_.log.repeated_warning("could not write a condition: " + describe(answer), {{"podGroup", key}});
}

}  // namespace muster::serve
