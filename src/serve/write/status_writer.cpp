// Who is spoken of when, and how events and conditions say it.
#include "serve/write/status_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "kube/api_client.hpp"
#include "kube/json.hpp"
#include "kube/resource.hpp"
#include "model/cluster.hpp"
#include "model/decisions.hpp"
#include "model/reason_text.hpp"
#include "serve/read/knowledge.hpp"
#include "serve/write/api_forms.hpp"
#include "serve/write/events.hpp"
#include "serve/write/message_change.hpp"
#include "serve/write/pod_group_writer.hpp"

namespace muster::serve {
namespace {

using kube::Clock;
using std::chrono::milliseconds;
using std::chrono::seconds;
namespace resources = kube::resources;

constexpr auto kBeforeFirstWord = milliseconds(300);
constexpr auto kWhileBeingMade = milliseconds(100);
constexpr auto kBetweenChanges = seconds(5);
constexpr auto kBetweenNumbers = seconds(60);  // where only amounts changed
constexpr const char* kUnschedulable = "UnschedulableOnNodePool";

std::string joined(const Cluster& cluster, const std::vector<JobReason>& reasons) {
  std::vector<std::string> texts;
  for (const JobReason& reason : reasons) texts.push_back(text_of(cluster, reason));
  return fmt::format("{}", fmt::join(texts, "; "));
}

bool waits(const Job& job) {
  return job.counts.of(TaskStatus::kPending) + job.counts.of(TaskStatus::kGated) > 0;
}

std::int64_t transition_of(const nlohmann::json& condition) {
  const std::string text = condition.value("transitionID", std::string());
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

StatusWriter::StatusWriter(const WriteParts& parts, PodGroupWriter& groups, std::string node_pool)
    : p_(parts), groups_(groups), node_pool_(node_pool.empty() ? "default" : std::move(node_pool)) {}

void StatusWriter::publish(const Cluster& cluster, const Decisions& decisions) {
  ++round_;
  next_due_ = Clock::time_point::max();
  const auto now = Clock::now();
  for (const WaitingJob& entry : decisions.waiting) {
    const Job& job = cluster.job(entry.job);
    Waiting& waiting = waiting_[job.full_name()];
    if (waiting.round == 0) waiting.since = now;
    waiting.round = round_;
    const bool is_first = waiting.told == Clock::time_point{};
    const auto due = is_first ? waiting.since + kBeforeFirstWord : waiting.told + kBetweenChanges;
    if (now < due) {
      if (is_first) next_due_ = std::min(next_due_, due);
      continue;
    }
    if (groups_.is_being_made(job.ns, job.name)) {  // it must be there to be spoken of
      groups_.make_soon(job.ns, job.name);
      next_due_ = std::min(next_due_, now + kWhileBeingMade);
      continue;
    }
    std::string message = joined(cluster, entry.reasons);
    waiting.told = now;
    if (message.empty() || message == waiting.message) continue;
    if (now < waiting.written + kBetweenNumbers && differ_in_numbers_only(message, waiting.message)) continue;
    waiting.message = message;
    waiting.written = now;
    tell(cluster, job, entry.reasons, message);
  }
  absl::erase_if(waiting_, [&](const auto& item) { return item.second.round != round_; });
  clear_conditions(cluster);
}

void StatusWriter::tell(const Cluster& cluster, const Job& job, const std::vector<JobReason>& reasons,
                        const std::string& message) {
  const bool ready = is_ready(job);
  p_.events.record({.about = {resources::kPodGroups.api_version(), "PodGroup", job.ns, job.name, job.uid},
                    .reason = ready ? "Unschedulable" : "NotReady",
                    .message = message});
  groups_.annotate(job.ns, job.name, {{kPreemptibility, preemptibility_text(job)}});
  if (!ready) return;
  if (job.counts.active_allocated() == 0) set_condition(cluster, job, reasons, message);
  tell_pods(cluster, job, message);
}

// ---------------------------------------------------------------- pods

void StatusWriter::tell_pods(const Cluster& cluster, const Job& job, const std::string& message) {
  const auto tell_pod = [&](TaskId id) {
    const Task& task = cluster.task(id);
    if (cluster.placement(id).status != TaskStatus::kPending) return;
    p_.events.record({.about = {"v1", "Pod", task.ns, task.name, task.uid},
                      .is_warning = true,
                      .reason = "Unschedulable",
                      .message = message});
    if (job.mark_unschedulable) kube::spawn(mark_pod(task.ns, task.name, task.uid, message));
  };
  for (const PodSet& set : job.pod_sets) std::ranges::for_each(set.tasks, tell_pod);
}

kube::Async<void> StatusWriter::mark_pod(std::string ns, std::string name, std::string uid,
                                         std::string message) {
  const json body = {{"metadata", {{"uid", uid}}},
                     {"status",
                      {{"conditions",
                        {{{"type", "PodScheduled"},
                          {"status", "False"},
                          {"reason", "Unschedulable"},
                          {"message", message},
                          {"lastTransitionTime", kube::wall_clock_text()}}}}}}};
  kube::ApiRequest patch{.method = "PATCH",
                         .path = resources::kPods.path(ns, name) + "/status",
                         .body = body.dump(-1, ' ', false, json::error_handler_t::replace),
                         .content_type = kube::kStrategicPatch,
                         .lane = kube::Lane::kBackground};
  const auto answer = co_await p_.client.send(std::move(patch));
  if (answer.ok()) p_.knowledge.saw(resources::kPods, answer.body);
}

// ---------------------------------------------------------------- PodGroups

void StatusWriter::saw_group(const Json& group) {
  const auto metadata = kube::part_at(group, "metadata");
  if (!metadata) return;
  const std::string key = kube::key_of(*metadata);
  const auto conditions = kube::part_at(group, "status", "schedulingConditions");
  simdjson::dom::array list;
  if (conditions && conditions->get(list) == simdjson::SUCCESS && list.size() > 0)
    conditions_[key] = simdjson::minify(*conditions);
  else
    conditions_.erase(key);
}

// Ours is replaced and comes last; those of other node pools stay as they are.
void StatusWriter::set_condition(const Cluster& cluster, const Job& job,
                                 const std::vector<JobReason>& reasons, const std::string& message) {
  const auto known = conditions_.find(job.full_name());
  const json before = known == conditions_.end() ? json::array() : json::parse(known->second);
  json after = json::array();
  std::int64_t last = 0;
  for (const json& condition : before) {
    last = std::max(last, transition_of(condition));
    if (condition.value("nodePool", "") != node_pool_) after.push_back(condition);
  }
  const json* newest = before.empty() ? nullptr : &before.back();
  if (newest != nullptr && newest->value("nodePool", "") == node_pool_ &&
      newest->value("message", "") == message)
    return;
  json details = json::array();
  for (const JobReason& reason : reasons)
    details.push_back({{"reason", code_of(reason.rule)}, {"message", text_of(cluster, reason)}});
  after.push_back({{"type", kUnschedulable},
                   {"nodePool", node_pool_},
                   {"reason", "Unschedulable"},
                   {"message", message},
                   {"status", "True"},
                   {"transitionID", std::to_string(last + 1)},
                   {"lastTransitionTime", kube::wall_clock_text()},
                   {"reasons", details}});
  kube::spawn(patch_status(job.ns, job.name,
                           {{"schedulingConditions", after},
                            {"preemptibility", name_of(job.preemptibility)},
                            {"preemptibilitySource", name_of(job.preemptibility_source)}}));
}

void StatusWriter::clear_conditions(const Cluster& cluster) {
  for (auto at = conditions_.begin(); at != conditions_.end();) {
    const auto entry = at++;
    const std::size_t slash = entry->first.find('/');
    const std::string ns = entry->first.substr(0, slash), name = entry->first.substr(slash + 1);
    const JobId id = cluster.find_job(ns, name);
    if (!id.valid() || waits(cluster.job(id)) || cluster.job(id).counts.of(TaskStatus::kBinding) > 0)
      continue;
    conditions_.erase(entry);
    kube::spawn(patch_status(ns, name, {{"schedulingConditions", json::array()}}));
  }
}

kube::Async<void> StatusWriter::patch_status(std::string ns, std::string name, json status) {
  const json body = {{"status", status}};
  kube::ApiRequest patch{.method = "PATCH",
                         .path = resources::kPodGroups.path(ns, name) + "/status",
                         .body = body.dump(-1, ' ', false, json::error_handler_t::replace),
                         .content_type = kube::kMergePatch,
                         .lane = kube::Lane::kBackground};
  const auto answer = co_await p_.client.send(std::move(patch));
  if (answer.ok()) p_.knowledge.saw(resources::kPodGroups, answer.body);
  // Another try comes with the next change of the message, or when the job is listed again.
  if (!answer.ok() && answer.status != 404) conditions_.erase(ns + "/" + name);
}

}  // namespace muster::serve
