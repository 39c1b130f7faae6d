#include "serve/pod_grouping.hpp"

#include <fmt/format.h>

#include <functional>

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

bool needs_group(Json pod, const std::string& scheduler_name) {
  const auto metadata = kube::part_at(pod, "metadata"), spec = kube::part_at(pod, "spec");
  if (!metadata || !spec || kube::text_at(*spec, "schedulerName") != scheduler_name) return false;
  if (!kube::text_at(*spec, "nodeName").empty() || !kube::text_at(*metadata, "deletionTimestamp").empty())
    return false;
  const auto annotations = kube::part_at(*metadata, "annotations");
  if (annotations && !kube::text_at(*annotations, "pod-group-name").empty()) return false;
  const auto status = kube::part_at(pod, "status");
  const std::string_view phase = status ? kube::text_at(*status, "phase") : std::string_view();
  return phase.empty() || phase == "Pending";
}

nlohmann::json parsed(const std::string& text) { return nlohmann::json::parse(text, nullptr, false); }

}  // namespace

PodGrouping::PodGrouping(const Parts& parts, std::string scheduler_name, grouper::GroupingOptions options)
    : p_(parts), scheduler_name_(std::move(scheduler_name)), options_(std::move(options)) {}

void PodGrouping::saw(Json pod) {
  const auto metadata = kube::part_at(pod, "metadata");
  if (!metadata) return;
  const std::string key = kube::key_of(*metadata);
  if (!needs_group(pod, scheduler_name_)) {
    waiting_.erase(key);
    return;
  }
  if (p_.assumptions.group_of(std::string(kube::text_at(*metadata, "uid"))) != nullptr) return;
  waiting_[key] = simdjson::minify(pod);
  if (may_begin_) p_.client.loop().post([this] { begin(); });
}

void PodGrouping::begin() {
  may_begin_ = true;
  for (auto& [key, text] : std::exchange(waiting_, {})) kube::spawn(group(std::move(text)));
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
  const bool is_written = co_await write_group(*plan);
  if (!is_written) co_return false;
  p_.source.tell(Membership{ns, name, uid, text_at(plan->pod_group, "/metadata/name"), plan->sub_group});
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

// ---------------------------------------------------------------- PodGroups

kube::Async<bool> PodGrouping::write_group(const grouper::GroupPlan& plan) {
  const std::string key =
      text_at(plan.pod_group, "/metadata/namespace") + "/" + text_at(plan.pod_group, "/metadata/name");
  const std::size_t hash = std::hash<json>()(plan.pod_group);
  if (const auto known = groups_.find(key); known != groups_.end()) {
    const auto group = known->second;
    co_await group->written.opened();
    if (!group->failed && group->plan == hash) co_return true;
  }
  const auto group = groups_[key] = std::make_shared<Group>();
  group->plan = hash;
  const bool is_put = co_await put_group(plan.pod_group);
  group->failed = !is_put;
  if (group->failed) groups_.erase(key);
  group->written.open();
  co_return !group->failed;
}

kube::Async<bool> PodGrouping::put_group(const json& pod_group) {
  const std::string ns = text_at(pod_group, "/metadata/namespace"),
                    name = text_at(pod_group, "/metadata/name");
  HttpResponse answer;
  if (!p_.source.pod_groups().knows(ns, name)) {
    kube::ApiRequest create{
        .method = "POST", .path = resources::kPodGroups.path(ns), .body = pod_group.dump()};
    answer = co_await p_.client.send(std::move(create));
    if (answer.ok()) p_.source.pod_groups().saw(answer.body);
    if (answer.status != 409) {
      if (!answer.ok())
        p_.log.repeated_warning("a PodGroup could not be made: " + describe(answer), {{"namespace", ns}});
      co_return answer.ok();
    }
  }
  kube::ApiRequest update{.method = "PATCH",
                          .path = resources::kPodGroups.path(ns, name),
                          .body = grouper::update_of(pod_group).dump(),
                          .content_type = kube::kMergePatch};
  answer = co_await p_.client.send(std::move(update));
  if (answer.ok()) p_.source.pod_groups().saw(answer.body);
  if (!answer.ok())
    p_.log.repeated_warning("a PodGroup could not be updated: " + describe(answer),
                            {{"podGroup", ns + "/" + name}});
  co_return answer.ok();
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
