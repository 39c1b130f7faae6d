// Follows owner references: finds the kind of the owner, where it is served, and reads the object.
#include "serve/write/workload_owners.hpp"

#include <nlohmann/json.hpp>

#include "grouper/fields.hpp"
#include "kube/api_client.hpp"
#include "kube/resource.hpp"
#include "kube/waiting.hpp"
#include "serve/write/owner_chain.hpp"

namespace muster::serve {
namespace {

using grouper::text_at;
using kube::Clock;
using kube::HttpResponse;
using nlohmann::json;

// How long the objects and kinds that were read remain valid.
constexpr auto kOwnerLife = std::chrono::seconds(10);
constexpr auto kKindsLife = std::chrono::minutes(5);
constexpr std::size_t kOwnersKept = 10'000, kMostApis = 1'000;

json parsed_answer(const std::string& text) { return json::parse(text, nullptr, false); }

// Parses an item of a discovery document.
kube::Resource listed_resource(const std::string& api_version, const json& item) {
  const std::size_t slash = api_version.find('/');
  const bool has_group = slash != std::string::npos;
  return {.group = has_group ? api_version.substr(0, slash) : "",
          .version = has_group ? api_version.substr(slash + 1) : api_version,
          .kind = text_at(item, "/kind"),
          .plural = text_at(item, "/name"),
          .is_namespaced = grouper::at(item, "/namespaced") != json(false)};
}

// True if the answer is not final. Status 410 (Gone) does not tell whether the object exists.
bool may_be_other_next_time(const HttpResponse& answer) {
  return is_transient(answer) || answer.status == 410;
}

}  // namespace

// An owner that was read or is being read.
struct WorkloadOwners::Owner {
  kube::Latch read;
  json object;  // null: it cannot be read
  bool failed = false;
  Clock::time_point at = Clock::now();
};

// The kinds of one version of one API group.
struct WorkloadOwners::Kinds {
  kube::Latch read;
  absl::flat_hash_map<std::string, kube::Resource> by_name;
  bool failed = false;
  Clock::time_point at = Clock::now();
};

WorkloadOwners::WorkloadOwners(kube::ApiClient& client) : client_(client), owners_(kOwnersKept) {}

WorkloadOwners::~WorkloadOwners() = default;

kube::Async<bool> WorkloadOwners::collect(const json* pod, std::vector<json>* owners) {
  const std::string ns = text_at(*pod, "/metadata/namespace");
  json reference = grouper::at(*pod, "/metadata/ownerReferences/0");
  for (OwnerChain chain; chain.follows(reference);) {
    const auto owner = co_await read_owner(ns, reference);
    if (owner->failed) co_return false;
    if (owner->object.is_null()) break;
    owners->push_back(owner->object);
    reference = grouper::at(owner->object, "/metadata/ownerReferences/0");
  }
  co_return true;
}

kube::Async<bool> WorkloadOwners::read_related(std::string ns, grouper::Related related, json* into) {
  if (related.labels.empty()) {
    const json reference = {
        {"apiVersion", related.api_version}, {"kind", related.kind}, {"name", related.name}};
    const auto object = co_await read_owner(std::move(ns), reference);
    *into = object->object;
    co_return !object->failed;
  }
  const auto kinds = co_await read_kinds(related.api_version);
  const auto resource = kinds->by_name.find(related.kind);
  if (resource == kinds->by_name.end()) co_return !kinds->failed;
  std::string selector;
  for (const auto& [key, value] : related.labels)
    selector.append(selector.empty() ? "" : ",").append(key).append("=").append(value);
  const std::string path = resource->second.path(ns) + "?labelSelector=" + kube::escaped(selector);
  const HttpResponse answer = co_await client_.get(path);
  if (answer.ok()) *into = parsed_answer(answer.body);
  if (!into->is_object()) *into = nullptr;
  co_return !may_be_other_next_time(answer);
}

// Forgets owners that were not used for one to two lifetimes, since whole objects take much memory.
void WorkloadOwners::forget_owners() {
  if (Clock::now() - owners_aged_ < kOwnerLife) return;
  owners_.forget_unused();
  owners_aged_ = Clock::now();
}

kube::Async<std::shared_ptr<WorkloadOwners::Owner>> WorkloadOwners::read_owner(std::string ns,
                                                                               json reference) {
  // The key contains the namespace, since a pod must not see owners of other namespaces.
  const std::string uid = text_at(reference, "/uid");
  const std::string key =
      ns + "/" + (uid.empty() ? text_at(reference, "/kind") + "/" + text_at(reference, "/name") : uid);
  forget_owners();
  if (const auto* known = owners_.find(key); known != nullptr && Clock::now() - (*known)->at < kOwnerLife) {
    const auto owner = *known;
    co_await owner->read.opened();
    co_return owner;
  }
  const auto owner = owners_.put(key, std::make_shared<Owner>());
  try {
    co_await read_object(std::move(ns), std::move(reference), owner.get());
  } catch (const std::exception&) {
    owner->object = nullptr;
    owner->failed = true;
  }
  if (owner->failed) owners_.erase(key);
  owner->at = Clock::now();
  owner->read.open();
  co_return owner;
}

kube::Async<void> WorkloadOwners::read_object(std::string ns, json reference, Owner* owner) {
  const std::string api_version = text_at(reference, "/apiVersion"), kind = text_at(reference, "/kind"),
                    name = text_at(reference, "/name");
  if (!kube::is_object_name(name)) co_return;
  const auto kinds = co_await read_kinds(api_version);
  const auto resource = kinds->by_name.find(kind);
  owner->failed = kinds->failed;
  if (resource == kinds->by_name.end()) co_return;
  const HttpResponse answer = co_await client_.get(resource->second.path(ns, name));
  if (answer.ok()) owner->object = parsed_answer(answer.body);
  if (owner->object.is_discarded()) owner->object = nullptr;
  // If the object has another uid, the owner was replaced; it is gone, and the pod soon will be.
  const std::string uid = text_at(reference, "/uid");
  const bool is_other = answer.ok() && !uid.empty() && text_at(owner->object, "/metadata/uid") != uid;
  owner->failed = is_other || answer.status == 404 || may_be_other_next_time(answer);
  if (!owner->object.is_object()) co_return;
  owner->object["apiVersion"] = api_version;
  owner->object["kind"] = kind;
}

kube::Async<std::shared_ptr<WorkloadOwners::Kinds>> WorkloadOwners::read_kinds(std::string api_version) {
  if (const auto known = kinds_.find(api_version);
      known != kinds_.end() && Clock::now() - known->second->at < kKindsLife) {
    const auto kinds = known->second;
    co_await kinds->read.opened();
    co_return kinds;
  }
  if (kinds_.size() > kMostApis) kinds_.clear();
  const auto kinds = kinds_[api_version] = std::make_shared<Kinds>();
  const HttpResponse answer = co_await client_.get(kube::path_of_api(api_version));
  const json list = answer.ok() ? parsed_answer(answer.body) : json();
  kinds->failed = may_be_other_next_time(answer);
  for (const json& item : grouper::at(list, "/resources")) {
    kube::Resource resource = listed_resource(api_version, item);
    const bool is_part = resource.plural.find('/') != std::string::npos;  // "pods/status"
    if (!is_part) kinds->by_name[resource.kind] = std::move(resource);
  }
  if (kinds->failed) kinds_.erase(api_version);
  kinds->read.open();
  co_return kinds;
}

}  // namespace muster::serve
