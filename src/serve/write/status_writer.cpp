// Decides when a pending job is reported, and writes the events and conditions.
#include "serve/write/status_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "answers/api_forms.hpp"
#include "grouper/fields.hpp"
#include "kube/api_client.hpp"
#include "kube/json.hpp"
#include "kube/json_text.hpp"
#include "kube/resource.hpp"
#include "model/cluster.hpp"
#include "model/decisions.hpp"
#include "model/reason_text.hpp"
#include "serve/read/observed_state.hpp"
#include "serve/write/events.hpp"
#include "serve/write/message_change.hpp"
#include "serve/write/pod_group_writer.hpp"

namespace muster::serve {
namespace {

using grouper::text_at;
using kube::Clock;
using std::chrono::milliseconds;
using std::chrono::seconds;
namespace resources = kube::resources;

constexpr auto kBeforeFirstReport = milliseconds(300);
constexpr auto kGroupPollInterval = milliseconds(100);
constexpr auto kBetweenChanges = seconds(5);
constexpr auto kBetweenNumbers = seconds(60);  // if only amounts have changed
constexpr const char* kUnschedulable = "UnschedulableOnNodePool";

std::string joined(const Cluster& cluster, const std::vector<JobReason>& reasons) {
  std::vector<std::string> texts;
  for (const JobReason& reason : reasons) texts.push_back(text_of(cluster, reason));
  return fmt::format("{}", fmt::join(texts, "; "));
}

bool waits(const Job& job) {
  return job.counts.of(TaskStatus::kPending) + job.counts.of(TaskStatus::kGated) > 0;
}

// A job that has started in part is reported only on its pods.
bool wants_condition(const Job& job) { return is_ready(job) && job.counts.active_allocated() == 0; }

std::string pod_key(const std::string& ns, const std::string& name) { return "Pod " + ns + "/" + name; }

std::int64_t transition_of(const nlohmann::json& condition) {
  const std::string text = text_at(condition, "/transitionID");
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

StatusWriter::StatusWriter(const WriteServices& parts, PodGroupWriter& groups, std::string node_pool)
    : p_(parts),
      groups_(groups),
      node_pool_(node_pool.empty() ? "default" : std::move(node_pool)),
      updates_(parts.client) {}

void StatusWriter::publish(const Cluster& cluster, const Decisions& decisions) {
  for (const BindDecision& bind : decisions.binds)
    updates_.drop(pod_key(cluster.task(bind.task).ns, cluster.task(bind.task).name));
  ++round_;
  next_due_ = Clock::time_point::max();
  const auto now = Clock::now();
  for (const WaitingJob& entry : decisions.waiting) {
    const Job& job = cluster.job(entry.job);
    Waiting& waiting = waiting_[job.full_name()];
    if (waiting.round == 0) waiting.since = now;
    waiting.round = round_;
    const bool is_first = waiting.reported == Clock::time_point{};
    const auto due = is_first ? waiting.since + kBeforeFirstReport : waiting.reported + kBetweenChanges;
    if (now < due) {
      if (is_first) next_due_ = std::min(next_due_, due);
      continue;
    }
    if (updates_.is_full()) continue;
    if (groups_.is_being_made(job.ns,
                              job.name)) {  // the PodGroup must exist before anything is reported on it
      groups_.make_soon(job.ns, job.name);
      next_due_ = std::min(next_due_, now + kGroupPollInterval);
      continue;
    }
    std::string message = joined(cluster, entry.reasons);
    waiting.reported = now;
    const bool lacks_condition = wants_condition(job) && !waiting.has_condition;
    if (message.empty() || (message == waiting.message && !lacks_condition)) continue;
    const bool is_soon = now < waiting.written + kBetweenNumbers;
    if (is_soon && !lacks_condition && differ_in_numbers_only(message, waiting.message)) continue;
    waiting.has_condition = wants_condition(job);
    waiting.message = message;
    waiting.written = now;
    report(cluster, job, entry.reasons, message);
  }
  absl::erase_if(waiting_, [&](const auto& item) { return item.second.round != round_; });
  clear_conditions(cluster);
}

void StatusWriter::report(const Cluster& cluster, const Job& job, const std::vector<JobReason>& reasons,
                          const std::string& message) {
  const bool ready = is_ready(job);
  p_.events.record({.about = {resources::kPodGroups.api_version(), "PodGroup", job.ns, job.name, job.uid},
                    .reason = ready ? "Unschedulable" : "NotReady",
                    .message = message});
  groups_.annotate(job.ns, job.name, {{answers::kPreemptibility, answers::preemptibility_text(job)}});
  if (!ready) return;
  if (wants_condition(job)) set_condition(cluster, job, reasons, message);
  report_pods(cluster, job, message);
}

// ---------------------------------------------------------------- pods

void StatusWriter::report_pods(const Cluster& cluster, const Job& job, const std::string& message) {
  const auto report_pod = [&](TaskId id) {
    const Task& task = cluster.task(id);
    if (cluster.placement(id).status != TaskStatus::kPending) return;
    p_.events.record({.about = {"v1", "Pod", task.ns, task.name, task.uid},
                      .is_warning = true,
                      .reason = "Unschedulable",
                      .message = message});
    if (job.mark_unschedulable) mark_pod(task.ns, task.name, task.uid, message);
  };
  for (const PodSet& set : job.pod_sets) std::ranges::for_each(set.tasks, report_pod);
}

// The request names the known version of the pod, so that it fails if another client has bound the pod
// meanwhile.
void StatusWriter::mark_pod(const std::string& ns, const std::string& name, const std::string& uid,
                            const std::string& message) {
  const auto make = [this, ns, name, uid, message]() -> std::optional<kube::ApiRequest> {
    const std::string version = p_.knowledge.version_of(resources::kPods, ns, name);
    if (version.empty()) return std::nullopt;
    const json condition = {{"type", "PodScheduled"},
                            {"status", "False"},
                            {"reason", "Unschedulable"},
                            {"message", message},
                            {"lastTransitionTime", kube::wall_clock_text()}};
    const json body = {{"metadata", {{"uid", uid}, {"resourceVersion", version}}},
                       {"status", {{"conditions", json::array({condition})}}}};
    return kube::ApiRequest{.method = "PATCH",
                            .path = resources::kPods.path(ns, name) + "/status",
                            .body = kube::json_text(body),
                            .content_type = kube::kStrategicPatch};
  };
  updates_.put(pod_key(ns, name), {.make = make, .on_success = [this](const kube::HttpResponse& answer) {
                                     p_.knowledge.saw(resources::kPods, answer.body);
                                   }});
}

// ---------------------------------------------------------------- PodGroups

void StatusWriter::saw_group(const Json& group) {
  const auto metadata = kube::part_at(group, "metadata");
  if (!metadata) return;
  const std::string key = kube::key_of(*metadata);
  const auto conditions = kube::part_at(group, "status", "schedulingConditions");
  simdjson::dom::array list;
  if (conditions && conditions->get(list) == simdjson::SUCCESS && list.size() > 0)
    conditions_[key].text = simdjson::minify(*conditions);
  else
    conditions_.erase(key);
}

// Replaces the condition of this node pool, as the last of the list, and keeps those of other node pools.
void StatusWriter::set_condition(const Cluster& cluster, const Job& job,
                                 const std::vector<JobReason>& reasons, const std::string& message) {
  json details = json::array();
  for (const JobReason& reason : reasons)
    details.push_back({{"reason", code_of(reason.rule)}, {"message", text_of(cluster, reason)}});
  const auto conditions = [pool = node_pool_, message, details](const json& before) -> std::optional<json> {
    json after = json::array();
    std::int64_t last = 0;
    for (const json& condition : before) {
      last = std::max(last, transition_of(condition));
      if (text_at(condition, "/nodePool") != pool) after.push_back(condition);
    }
    const json* newest = before.empty() ? nullptr : &before.back();
    if (newest != nullptr && text_at(*newest, "/nodePool") == pool && text_at(*newest, "/message") == message)
      return std::nullopt;
    after.push_back({{"type", kUnschedulable},
                     {"nodePool", pool},
                     {"reason", "Unschedulable"},
                     {"message", message},
                     {"status", "True"},
                     {"transitionID", std::to_string(last + 1)},
                     {"lastTransitionTime", kube::wall_clock_text()},
                     {"reasons", details}});
    return after;
  };
  put_conditions(job.ns, job.name,
                 {{"preemptibility", answers::name_of(job.preemptibility)},
                  {"preemptibilitySource", answers::name_of(job.preemptibility_source)}},
                 conditions);
}

void StatusWriter::clear_conditions(const Cluster& cluster) {
  const auto now = Clock::now();
  for (auto& [key, known] : conditions_) {
    const std::size_t slash = key.find('/');
    const std::string ns = key.substr(0, slash), name = key.substr(slash + 1);
    const JobId id = cluster.find_job(ns, name);
    if (!id.valid() || waits(cluster.job(id)) || cluster.job(id).counts.of(TaskStatus::kBinding) > 0)
      continue;
    if (now < known.cleared + kBetweenChanges) continue;
    known.cleared = now;
    put_conditions(ns, name, json::object(), [](const json& before) -> std::optional<json> {
      return before.empty() ? std::nullopt : std::optional(json::array());
    });
  }
}

// The schedulers of all node pools write to one list. The request names the version it is based on, so that
// it never overwrites what another scheduler has added meanwhile.
void StatusWriter::put_conditions(const std::string& ns, const std::string& name, json status,
                                  const Conditions& conditions) {
  const auto make = [this, ns, name, status, conditions]() -> std::optional<kube::ApiRequest> {
    const std::string version = p_.knowledge.version_of(resources::kPodGroups, ns, name);
    if (version.empty()) return std::nullopt;
    const auto known = conditions_.find(ns + "/" + name);
    json before =
        known == conditions_.end() ? json::array() : json::parse(known->second.text, nullptr, false);
    if (!before.is_array()) before = json::array();
    std::optional<json> after = conditions(before);
    if (!after) return std::nullopt;
    json body = {{"metadata", {{"resourceVersion", version}}}, {"status", status}};
    body["status"]["schedulingConditions"] = std::move(*after);
    return kube::ApiRequest{.method = "PATCH",
                            .path = resources::kPodGroups.path(ns, name) + "/status",
                            .body = kube::json_text(body),
                            .content_type = kube::kMergePatch};
  };
  updates_.put("PodGroup " + ns + "/" + name,
               {.make = make, .on_success = [this](const kube::HttpResponse& answer) {
                  p_.knowledge.saw(resources::kPodGroups, answer.body);
                }});
}

}  // namespace muster::serve
