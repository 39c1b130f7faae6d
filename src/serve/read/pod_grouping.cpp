#include "serve/read/pod_grouping.hpp"

#include <fmt/format.h>

#include "grouper/fields.hpp"
#include "kube/json.hpp"
#include "kube/resource.hpp"

namespace muster::serve {
namespace {

using grouper::text_at;
using kube::Clock;
using kube::HttpResponse;
using std::chrono::milliseconds;
using std::chrono::seconds;
namespace resources = kube::resources;

// How long what was read of an owner is good for.
constexpr auto kOwnerLife = seconds(10);
constexpr auto kKindsLife = std::chrono::minutes(5);
// A pod that is placed soon gets its annotation with the bind and costs no write of its own.
constexpr auto kPatience = seconds(2);
constexpr std::size_t kMostOwners = 20'000;
constexpr std::string_view kOurGroups = "pg-";

bool is_grouped_by_us(Json pod, const std::string& scheduler_name) {
  const auto metadata = kube::part_at(pod, "metadata"), spec = kube::part_at(pod, "spec");
  if (!metadata || !spec || kube::text_at(*spec, "schedulerName") != scheduler_name) return false;
  if (!kube::text_at(*metadata, "deletionTimestamp").empty()) return false;
  const auto status = kube::part_at(pod, "status");
  const std::string_view phase = status ? kube::text_at(*status, "phase") : std::string_view();
  return phase.empty() || phase == "Pending" || phase == "Running";
}

bool stands_on_a_node(Json pod) {
  const auto spec = kube::part_at(pod, "spec");
  return spec && !kube::text_at(*spec, "nodeName").empty();
}

// The annotation; "" where there is none.
std::string_view group_named_by(Json pod) {
  const auto annotations = kube::part_at(pod, "metadata", "annotations");
  return annotations ? kube::text_at(*annotations, "pod-group-name") : std::string_view();
}

// Somebody made the PodGroup, and the pod has owners, whose labels count for it.
bool is_in_group_of_others(Json pod, std::string_view group) {
  return !group.empty() && !group.starts_with(kOurGroups) && !stands_on_a_node(pod) &&
         kube::part_at(pod, "metadata", "ownerReferences");
}

// When the pod got its place, as its condition says.
std::string start_of(const nlohmann::json& pod) {
  for (const auto& condition : grouper::at(pod, "/status/conditions"))
    if (text_at(condition, "/type") == "PodScheduled" && text_at(condition, "/status") == "True")
      return text_at(condition, "/lastTransitionTime");
  return "";
}

nlohmann::json parsed(const std::string& text) { return nlohmann::json::parse(text, nullptr, false); }

}  // namespace

PodGrouping::PodGrouping(const WriteParts& parts, PodGroupWriter& groups, std::string scheduler_name,
                         grouper::GroupingOptions options)
    : p_(parts), groups_(groups), scheduler_name_(std::move(scheduler_name)), options_(std::move(options)) {}

void PodGrouping::saw(Json pod) {
  const auto metadata = kube::part_at(pod, "metadata");
  if (!metadata) return;
  const std::string key = kube::key_of(*metadata);
  const std::string_view group = group_named_by(pod);
  if (may_begin_ && is_in_group_of_others(pod, group) && is_grouped_by_us(pod, scheduler_name_))
    p_.client.loop().post([this, text = simdjson::minify(pod)] { kube::spawn(learn_owners(text)); });
  const bool is_candidate = is_grouped_by_us(pod, scheduler_name_) && stands_on_a_node(pod) == !group.empty();
  if (is_candidate && !group.empty() && !may_begin_)
    unchecked_[key] = {std::string(kube::text_at(*metadata, "namespace")),
                       std::string(kube::text_at(*metadata, "name")), std::string(group)};
  if (!is_candidate || (!group.empty() && !lacks_its_group(pod, group))) {
    waiting_.erase(key);
    return;
  }
  if (p_.assumptions.group_of(std::string(kube::text_at(*metadata, "uid"))) != nullptr) return;
  waiting_[key] = simdjson::minify(pod);
  if (may_begin_) p_.client.loop().post([this] { group_waiting(); });
}

void PodGrouping::pod_gone(const std::string& ns, const std::string& name) {
  waiting_.erase(ns + "/" + name);
  unchecked_.erase(ns + "/" + name);
}

bool PodGrouping::lacks_its_group(Json pod, std::string_view group) const {
  return may_begin_ && group.starts_with(kOurGroups) &&
         !p_.source.pod_groups().knows(kube::text_at(*kube::part_at(pod, "metadata"), "namespace"), group);
}

void PodGrouping::begin() {
  may_begin_ = true;
  for (auto& [key, pod] : std::exchange(unchecked_, {}))
    if (!p_.source.pod_groups().knows(pod.ns, pod.group)) kube::spawn(restore(std::move(pod)));
  group_waiting();
}

void PodGrouping::group_waiting() {
  for (auto& [key, text] : std::exchange(waiting_, {})) kube::spawn(group(std::move(text)));
}

kube::Async<void> PodGrouping::restore(Bound pod) {
  ++restoring_;
  const HttpResponse answer = co_await p_.client.get(resources::kPods.path(pod.ns, pod.name));
  if (answer.ok()) co_await group(answer.body);
  --restoring_;
}

kube::Async<void> PodGrouping::group(std::string text) {
  json pod = parsed(text);
  pod["apiVersion"] = "v1";
  pod["kind"] = "Pod";
  const std::string uid = text_at(pod, "/metadata/uid");
  if (grouper::is_skipped(pod) || under_way_.contains(uid)) co_return;
  under_way_[uid] = true;
  ++open_;
  kube::Backoff backoff(milliseconds(500), milliseconds(30'000));
  while (!p_.client.loop().stopping() && p_.client.may_write()) {
    const bool is_done = co_await try_to_group(pod);
    if (is_done) break;
    co_await p_.client.loop().sleep(backoff.next());
    if (!p_.source.pods().knows(text_at(pod, "/metadata/namespace"), text_at(pod, "/metadata/name"))) break;
  }
  --open_;
  under_way_.erase(uid);
}

kube::Async<bool> PodGrouping::try_to_group(const json& pod) {
  std::vector<json> owners;
  const bool are_known = co_await collect_owners(pod, owners);
  if (!are_known) co_return false;
  for (const json& owner : owners)
    if (grouper::is_skipped(owner)) co_return true;
  const std::string ns = text_at(pod, "/metadata/namespace"), name = text_at(pod, "/metadata/name"),
                    uid = text_at(pod, "/metadata/uid");
  const auto plan = grouper::plan_group(pod, owners, options_);
  if (!plan) {
    p_.events.record({.about = {"v1", "Pod", ns, name, uid},
                      .is_warning = true,
                      .reason = "PodGrouperWarning",
                      .message = plan.error().text()});
    co_return false;
  }
  const std::string group = text_at(plan->pod_group, "/metadata/name");
  if (const std::string named = text_at(pod, "/metadata/annotations/pod-group-name"); !named.empty()) {
    if (named != group) co_return true;  // one that somebody else will make
    co_return co_await groups_.put_back(plan->pod_group, start_of(pod));
  }
  const Membership member{ns, name, uid, group, plan->sub_group};
  // In a new group the pod may be placed at once: its bind waits for the group, and brings nobody a stale
  // one.
  const bool is_new = !p_.source.pod_groups().knows(ns, group);
  if (is_new) p_.source.tell(member);
  const bool is_written = co_await groups_.put(plan->pod_group);
  if (!is_written) co_return false;
  if (!is_new) p_.source.tell(member);
  kube::spawn(annotate_later(ns, name, uid));
  co_return true;
}

// ---------------------------------------------------------------- owners

kube::Async<bool> PodGrouping::collect_owners(const json& pod, std::vector<json>& owners) {
  const std::string ns = text_at(pod, "/metadata/namespace");
  json reference = grouper::at(pod, "/metadata/ownerReferences/0");
  while (reference.is_object()) {
    const auto owner = co_await read_owner(ns, reference);
    if (owner->failed) co_return false;
    if (owner->object.is_null()) break;
    owners.push_back(owner->object);
    reference = grouper::at(owner->object, "/metadata/ownerReferences/0");
  }
  co_return true;
}

// The model looks at labels of owners itself where no pod grouper has put them into the PodGroup.
kube::Async<void> PodGrouping::learn_owners(std::string text) {
  std::vector<json> owners;
  const json pod = parsed(text);
  if (told_owners_.contains(text_at(pod, "/metadata/ownerReferences/0/uid"))) co_return;
  const bool are_known = co_await collect_owners(pod, owners);
  if (!are_known) co_return;
  if (told_owners_.size() > kMostOwners) told_owners_.clear();
  for (const json& owner : owners) {
    const kube::Resource resource{"", text_at(owner, "/apiVersion"), text_at(owner, "/kind"), ""};
    if (told_owners_.insert(text_at(owner, "/metadata/uid")).second) p_.source.assume(resource, owner.dump());
  }
}

kube::Async<std::shared_ptr<PodGrouping::Owner>> PodGrouping::read_owner(std::string ns, json reference) {
  const std::string uid = text_at(reference, "/uid");
  if (owners_.size() > kMostOwners) owners_.clear();
  if (const auto known = owners_.find(uid);
      known != owners_.end() && Clock::now() - known->second->at < kOwnerLife) {
    const auto owner = known->second;
    co_await owner->read.opened();
    co_return owner;
  }
  const auto owner = owners_[uid] = std::make_shared<Owner>();
  const std::string api_version = text_at(reference, "/apiVersion"), kind = text_at(reference, "/kind");
  const auto kinds = co_await read_kinds(api_version);
  const auto resource = kinds->by_name.find(kind);
  owner->failed = kinds->failed;
  if (resource != kinds->by_name.end()) {
    std::string path = resource->second.path(ns, text_at(reference, "/name"));
    const HttpResponse answer = co_await p_.client.get(std::move(path));
    if (answer.ok()) owner->object = parsed(answer.body);
    // An owner of the same name that is another one: ours is gone, and the pod soon will be.
    const bool is_other = answer.ok() && text_at(owner->object, "/metadata/uid") != uid;
    owner->failed = is_other || answer.status == 404 || is_transient(answer);
    if (answer.ok()) {
      owner->object["apiVersion"] = api_version;
      owner->object["kind"] = kind;
    }
  }
  if (owner->failed) owners_.erase(uid);
  owner->at = Clock::now();
  owner->read.open();
  co_return owner;
}

kube::Async<std::shared_ptr<PodGrouping::Kinds>> PodGrouping::read_kinds(std::string api_version) {
  if (const auto known = kinds_.find(api_version);
      known != kinds_.end() && Clock::now() - known->second->at < kKindsLife) {
    const auto kinds = known->second;
    co_await kinds->read.opened();
    co_return kinds;
  }
  const auto kinds = kinds_[api_version] = std::make_shared<Kinds>();
  const std::size_t slash = api_version.find('/');
  std::string path = (slash == std::string::npos ? "/api/" : "/apis/") + api_version;
  const HttpResponse answer = co_await p_.client.get(std::move(path));
  const json list = answer.ok() ? parsed(answer.body) : json();
  kinds->failed = is_transient(answer);
  if (list.is_object() && list.contains("resources"))
    for (const json& item : list["resources"]) {
      const std::string plural = text_at(item, "/name");
      if (plural.find('/') != std::string::npos) continue;
      kinds->by_name[text_at(item, "/kind")] = {
          slash == std::string::npos ? "" : api_version.substr(0, slash),
          slash == std::string::npos ? api_version : api_version.substr(slash + 1), text_at(item, "/kind"),
          plural, item.value("namespaced", true)};
    }
  if (kinds->failed) kinds_.erase(api_version);
  kinds->read.open();
  co_return kinds;
}

// ---------------------------------------------------------------- the pod itself

kube::Async<void> PodGrouping::annotate_later(std::string ns, std::string name, std::string uid) {
  co_await p_.client.loop().sleep(kPatience);
  if (!p_.client.loop().stopping()) co_await annotate(std::move(ns), std::move(name), std::move(uid));
}

kube::Async<void> PodGrouping::annotate(std::string ns, std::string name, std::string uid) {
  kube::Backoff backoff;
  while (const auto* group = p_.assumptions.group_of(uid)) {
    json body = {{"metadata", {{"uid", uid}, {"annotations", {{"pod-group-name", group->first}}}}}};
    if (!group->second.empty()) body["metadata"]["labels"] = {{"kai.scheduler/subgroup-name", group->second}};
    kube::ApiRequest patch{.method = "PATCH",
                           .path = resources::kPods.path(ns, name),
                           .body = body.dump(),
                           .content_type = kube::kMergePatch,
                           .lane = kube::Lane::kBackground};
    const HttpResponse answer = co_await p_.client.send(std::move(patch));
    if (answer.ok()) p_.source.pods().saw(answer.body);
    if (!is_transient(answer) || !p_.client.may_write()) co_return;
    co_await p_.client.loop().sleep(backoff.next(answer.retry_after));
    if (p_.client.loop().stopping()) co_return;
  }
}

}  // namespace muster::serve
