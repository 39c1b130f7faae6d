// Finds pods without a PodGroup, plans their PodGroups, adds these to the model, and annotates the pods if no
// bind does.
#include "serve/write/pod_grouping.hpp"

#include <nlohmann/json.hpp>

#include "grouper/fields.hpp"
#include "grouper/grouper.hpp"
#include "kube/api_client.hpp"
#include "kube/json.hpp"
#include "kube/json_text.hpp"
#include "kube/resource.hpp"
#include "kube/waiting.hpp"
#include "model/cluster.hpp"
#include "serve/health/log.hpp"
#include "serve/read/observed_state.hpp"
#include "serve/write/events.hpp"
#include "serve/write/pod_group_writer.hpp"

namespace muster::serve {
namespace {

using grouper::text_at;
using kube::HttpResponse;
using std::chrono::milliseconds;
using std::chrono::seconds;
namespace resources = kube::resources;

// A pod that is placed within this time gets its annotation with the bind, without a separate write.
constexpr auto kBeforeAnnotating = seconds(2);
constexpr std::size_t kMostKnownOwners = 20'000;
constexpr std::string_view kOurGroups = "pg-";

// GPU reservations are not, even if they name our scheduler.
bool is_grouped_by_us(Json pod, const ClusterOptions& options) {
  const auto metadata = kube::part_at(pod, "metadata"), spec = kube::part_at(pod, "spec");
  if (!metadata || !spec || kube::text_at(*spec, "schedulerName") != options.scheduler_name) return false;
  const auto labels = kube::part_at(*metadata, "labels");
  if (labels && options.is_jobless(kube::text_at(*labels, "app"), kube::text_at(*metadata, "namespace")))
    return false;
  if (!kube::text_at(*metadata, "deletionTimestamp").empty()) return false;
  const auto status = kube::part_at(pod, "status");
  const std::string_view phase = status ? kube::text_at(*status, "phase") : std::string_view();
  return phase.empty() || phase == "Pending" || phase == "Running";
}

bool is_on_a_node(Json pod) {
  const auto spec = kube::part_at(pod, "spec");
  return spec && !kube::text_at(*spec, "nodeName").empty();
}

// The value of the annotation, or "" without one.
std::string_view group_named_by(Json pod) {
  const auto annotations = kube::part_at(pod, "metadata", "annotations");
  return annotations ? kube::text_at(*annotations, "pod-group-name") : std::string_view();
}

// True if another client creates the PodGroup and the pod has owners, whose labels matter for its job.
bool is_in_group_of_others(Json pod, std::string_view group) {
  return !group.empty() && !group.starts_with(kOurGroups) && !is_on_a_node(pod) &&
         kube::part_at(pod, "metadata", "ownerReferences");
}

// When the pod was scheduled, according to its condition.
std::string start_of(const nlohmann::json& pod) {
  for (const auto& condition : grouper::at(pod, "/status/conditions"))
    if (text_at(condition, "/type") == "PodScheduled" && text_at(condition, "/status") == "True")
      return text_at(condition, "/lastTransitionTime");
  return "";
}

nlohmann::json parsed(const std::string& text) { return nlohmann::json::parse(text, nullptr, false); }

}  // namespace

PodGrouping::PodGrouping(const WriteServices& parts, PodGroupWriter& groups, PodGroupingOptions options)
    : p_(parts), groups_(groups), options_(std::move(options)), owners_(parts.client) {}

void PodGrouping::saw(const Json& pod) {
  const auto metadata = kube::part_at(pod, "metadata");
  if (!metadata) return;
  const std::string key = kube::key_of(*metadata);
  const std::string_view group = group_named_by(pod);
  if (may_begin_ && is_in_group_of_others(pod, group) && is_grouped_by_us(pod, options_.cluster))
    p_.client.loop().post(
        [this, text = simdjson::minify(pod)] { kube::spawn(learn_owners(text), "reading owners"); });
  // A pod that was assigned to a node by hand needs a PodGroup as well.
  const bool is_candidate = is_grouped_by_us(pod, options_.cluster) && (group.empty() || is_on_a_node(pod));
  if (is_candidate && !group.empty() && !may_begin_)
    unchecked_[key] = {std::string(kube::text_at(*metadata, "namespace")),
                       std::string(kube::text_at(*metadata, "name")), std::string(group)};
  if (!is_candidate || (!group.empty() && !lacks_its_group(pod, group))) {
    waiting_.erase(key);
    return;
  }
  if (p_.knowledge.group_of(std::string(kube::text_at(*metadata, "uid"))) != nullptr) return;
  waiting_[key] = simdjson::minify(pod);
  if (may_begin_) p_.client.loop().post([this] { group_waiting(); });
}

void PodGrouping::pod_gone(const std::string& ns, const std::string& name) {
  waiting_.erase(ns + "/" + name);
  unchecked_.erase(ns + "/" + name);
}

bool PodGrouping::lacks_its_group(Json pod, std::string_view group) const {
  return may_begin_ && group.starts_with(kOurGroups) &&
         !p_.knowledge.knows(resources::kPodGroups,
                             kube::text_at(*kube::part_at(pod, "metadata"), "namespace"), group);
}

void PodGrouping::begin() {
  may_begin_ = true;
  for (auto& [key, pod] : std::exchange(unchecked_, {}))
    if (!p_.knowledge.knows(resources::kPodGroups, pod.ns, pod.group))
      kube::spawn(restore(std::move(pod)), "restoring a PodGroup");
  for (const auto& [key, text] : waiting_) unplanned_.insert(text_at(parsed(text), "/metadata/uid"));
  group_waiting();
}

void PodGrouping::look_after(const Cluster& cluster) {
  if (std::exchange(sweeps_, cluster.sweeps()) != cluster.sweeps()) known_owners_.clear();
  if (!may_begin_) return;
  for (JobId id : cluster.job_table().groupless()) {
    const Job& job = cluster.job(id);
    if (!job.name.starts_with(kOurGroups) || groups_.is_being_written(job.ns, job.name)) continue;
    const std::vector<TaskId> members = cluster.job_table().members(id);
    if (members.empty() || !put_back_.insert(job.full_name()).second) continue;
    kube::spawn(put_back({job.ns, cluster.task(members.front()).name, job.name}), "restoring a PodGroup");
  }
}

kube::Async<void> PodGrouping::put_back(Bound pod) {
  const HttpResponse answer = co_await p_.client.get(resources::kPods.path(pod.ns, pod.name));
  if (answer.ok()) co_await group(answer.body);
  put_back_.erase(pod.ns + "/" + pod.group);
}

void PodGrouping::group_waiting() {
  for (auto& [key, text] : std::exchange(waiting_, {})) kube::spawn(group(std::move(text)), "grouping a pod");
}

kube::Async<void> PodGrouping::restore(Bound pod) {
  ++restoring_;
  const HttpResponse answer = co_await p_.client.get(resources::kPods.path(pod.ns, pod.name));
  if (answer.ok()) co_await group(answer.body);
  --restoring_;
}

kube::Async<void> PodGrouping::group(std::string text) {
  json pod = parsed(text);
  if (!pod.is_object()) co_return;
  pod["apiVersion"] = "v1";
  pod["kind"] = "Pod";
  const std::string ns = text_at(pod, "/metadata/namespace"), name = text_at(pod, "/metadata/name"),
                    uid = text_at(pod, "/metadata/uid");
  if (grouper::is_skipped(pod)) unplanned_.erase(uid);
  if (grouper::is_skipped(pod) || under_way_.contains(uid)) co_return;
  under_way_.insert(uid);
  kube::Backoff backoff(milliseconds(500), milliseconds(30'000));
  while (!p_.client.loop().stopping() && p_.client.may_write()) {
    bool is_done = false;
    try {
      is_done = co_await try_to_group(&pod);
    } catch (const std::exception& failure) {
      p_.log.repeated_warning(std::string("could not group a pod: ") + failure.what(),
                              {{"pod", ns + "/" + name}});
    }
    unplanned_.erase(uid);
    if (is_done) break;
    co_await p_.client.loop().sleep(backoff.next());
    if (!p_.knowledge.knows(resources::kPods, ns, name)) break;
  }
  under_way_.erase(uid);
  unplanned_.erase(uid);
}

grouper::GroupingOptions PodGrouping::plan_options() const {
  return {.queue_label = options_.queue_label,
          .node_pool_label = options_.node_pool_label,
          .has_priority_class = [this](const std::string& name) {
            return p_.knowledge.knows(resources::kPriorityClasses, "", name);
          }};
}

kube::Async<bool> PodGrouping::try_to_group(const json* pod) {
  std::vector<json> owners;
  const bool are_known = co_await owners_.collect(pod, &owners);
  if (!are_known) co_return false;
  for (const json& owner : owners)
    if (grouper::is_skipped(owner)) co_return true;
  const std::string ns = text_at(*pod, "/metadata/namespace"), name = text_at(*pod, "/metadata/name"),
                    uid = text_at(*pod, "/metadata/uid");
  json related;
  if (const auto wanted = grouper::related_to(*pod, owners)) {
    const bool is_read = co_await owners_.read_related(ns, *wanted, &related);
    if (!is_read) co_return false;
  }
  const auto plan = grouper::plan_group(*pod, owners, plan_options(), related);
  if (!plan) {
    p_.events.record({.about = {"v1", "Pod", ns, name, uid},
                      .is_warning = true,
                      .reason = "PodGrouperWarning",
                      .message = plan.error().text()});
    co_return false;
  }
  const std::string group = text_at(plan->pod_group, "/metadata/name");
  if (const std::string named = text_at(*pod, "/metadata/annotations/pod-group-name"); !named.empty()) {
    if (named != group) co_return true;  // another client will create it
    co_return co_await groups_.put_back(plan->pod_group, start_of(*pod));
  }
  // A pod of a new PodGroup may be placed at once: its bind waits for the PodGroup, and no stale version of
  // it can be in use.
  const bool is_new = !p_.knowledge.knows(resources::kPodGroups, ns, group);
  if (is_new) p_.knowledge.join(uid, group, plan->sub_group);
  if (is_new) unplanned_.erase(uid);
  const bool is_written = co_await groups_.put(plan->pod_group);
  if (!is_written) co_return false;
  if (!is_new) p_.knowledge.join(uid, group, plan->sub_group);
  kube::spawn(annotate_later(ns, name, uid), "annotating a pod");
  co_return true;
}

// Adds the owners to the model, which looks at their labels if no pod grouper has copied these to the
// PodGroup.
kube::Async<void> PodGrouping::learn_owners(std::string text) {
  std::vector<json> owners;
  const json pod = parsed(text);
  if (known_owners_.contains(text_at(pod, "/metadata/ownerReferences/0/uid"))) co_return;
  const bool are_known = co_await owners_.collect(&pod, &owners);
  if (!are_known) co_return;
  if (known_owners_.size() > kMostKnownOwners) known_owners_.clear();
  for (const json& owner : owners) {
    const kube::Resource resource{"", text_at(owner, "/apiVersion"), text_at(owner, "/kind"), ""};
    if (known_owners_.insert(text_at(owner, "/metadata/uid")).second)
      p_.knowledge.assume(resource, kube::json_text(owner));
  }
}

// ---------------------------------------------------------------- the pod itself

kube::Async<void> PodGrouping::annotate_later(std::string ns, std::string name, std::string uid) {
  co_await p_.client.loop().sleep(kBeforeAnnotating);
  if (!p_.client.loop().stopping()) co_await annotate(std::move(ns), std::move(name), std::move(uid));
}

kube::Async<void> PodGrouping::annotate(std::string ns, std::string name, std::string uid) {
  kube::Backoff backoff;
  while (const auto* group = p_.knowledge.group_of(uid)) {
    json body = {{"metadata", {{"uid", uid}, {"annotations", {{"pod-group-name", group->first}}}}}};
    if (!group->second.empty()) body["metadata"]["labels"] = {{"kai.scheduler/subgroup-name", group->second}};
    kube::ApiRequest patch{.method = "PATCH",
                           .path = resources::kPods.path(ns, name),
                           .body = kube::json_text(body),
                           .content_type = kube::kMergePatch,
                           .lane = kube::Lane::kBackground};
    const HttpResponse answer = co_await p_.client.send(std::move(patch));
    if (answer.ok()) p_.knowledge.saw(resources::kPods, answer.body);
    if (!is_transient(answer) || !p_.client.may_write()) co_return;
    co_await p_.client.loop().sleep(backoff.next(answer.retry_after));
    if (p_.client.loop().stopping()) co_return;
  }
}

}  // namespace muster::serve
