// Stores owners by kind, namespace and name, and follows owner references upwards from pods.
#include "loader/file_owners.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "document/json.hpp"
#include "grouper/fields.hpp"
#include "loader/claim_templates.hpp"

namespace muster::loader {
namespace {

using grouper::text_at;

constexpr int kLongestChain = 16;  // a longer chain of owners must be a cycle

std::string_view text_in(Json root, std::string_view pointer) {
  std::string_view text;
  return root.at_pointer(pointer).get(text) == simdjson::SUCCESS ? text : std::string_view();
}

std::string namespace_of(Json root) {
  const std::string_view ns = text_in(root, "/metadata/namespace");
  return ns.empty() ? "default" : std::string(ns);
}

// The key without the API group is a prefix that several objects may share. No part contains a slash.
std::string key_of(const std::string& kind, const std::string& ns, const std::string& name) {
  return kind + "/" + ns + "/" + name + "/";
}

bool has_ended(std::string_view phase) { return phase == "Succeeded" || phase == "Failed"; }

}  // namespace

FileObject::FileObject(const Document& document)
    : api_version(document.api_version()),
      kind(document.kind()),
      ns(namespace_of(document.root())),
      name(text_in(document.root(), "/metadata/name")),
      where{.file = document.file(),
            .line = document.line_of(""),
            .object = fmt::format("{} {}/{}", kind, ns, name)},
      text_(simdjson::minify(document.root())) {}

FileObject::FileObject(nlohmann::json object, Location made_for)
    : api_version(text_at(object, "/apiVersion")),
      kind(text_at(object, "/kind")),
      ns(text_at(object, "/metadata/namespace")),
      name(text_at(object, "/metadata/name")),
      where(std::move(made_for)),
      json_(std::move(object)) {}

const nlohmann::json& FileObject::json() {
  if (!json_.is_null()) return json_;
  json_ = nlohmann::json::parse(text_, nullptr, false);
  text_.clear();
  if (!json_.is_object()) json_ = {{"metadata", {{"name", name}}}};
  json_["apiVersion"] = api_version;
  json_["kind"] = kind;
  json_["metadata"]["namespace"] = ns;
  return json_;
}

bool FileOwners::is_ours(Json pod) const {
  return text_in(pod, "/spec/schedulerName") == options_.scheduler_name &&
         !options_.is_jobless(text_in(pod, "/metadata/labels/app"), namespace_of(pod));
}

// Returns early for the most common case, a pod with a PodGroup and all claims, since there may be many pods.
void FileOwners::note_pod(const Document& document) {
  const Json root = document.root();
  if (!text_in(root, "/metadata/ownerReferences/0/kind").empty()) note_owned(root);
  const bool is_grouped = !text_in(root, "/metadata/annotations/pod-group-name").empty();
  const bool lacks_some_claims = is_grouped && lacks_claims(root);
  if (is_grouped && !lacks_some_claims && ungrouped_.empty() && without_claims_.empty()) return;
  const std::string_view name = text_in(root, "/metadata/name");
  const std::string key = namespace_of(root) + "/" + std::string(name);
  ungrouped_.erase(key);
  without_claims_.erase(key);
  if ((is_grouped && !lacks_some_claims) || name.empty()) return;
  const bool is_ours = this->is_ours(root);
  if (!is_ours && !is_grouped && !text_in(root, "/metadata/labels/kai.scheduler~1queue").empty())
    ++stray_pods_;
  const bool is_going = !text_in(root, "/metadata/deletionTimestamp").empty();
  if (is_ours && !is_going && !has_ended(text_in(root, "/status/phase")))
    (is_grouped ? without_claims_ : ungrouped_).emplace(key, FileObject(document));
}

void FileOwners::note_owned(Json pod) {
  const Reference owner{std::string(text_in(pod, "/metadata/ownerReferences/0/apiVersion")),
                        std::string(text_in(pod, "/metadata/ownerReferences/0/kind")),
                        namespace_of(pod),
                        std::string(text_in(pod, "/metadata/ownerReferences/0/name")),
                        std::string(text_in(pod, "/metadata/ownerReferences/0/uid")),
                        std::string(text_in(pod, "/metadata/labels/jobset.sigs.k8s.io~1jobset-name"))};
  const std::string key = key_of(owner.kind, owner.ns, owner.name) + grouper::api_group_of(owner.api_version);
  OwnedPods& owned = owned_pods_[key + "@" + owner.uid];
  owned.owner = owner;
  const std::string name(text_in(pod, "/metadata/name"));
  const std::string_view phase = text_in(pod, "/status/phase");
  owned.pods[name] = {name, has_ended(phase), phase == "Succeeded"};
}

void FileOwners::note_other(const Document& document, bool was_unknown) {
  if (!document.root().is_object() || document.kind().empty()) return;
  FileOwner owner(document);
  if (owner.name.empty()) return;
  owner.was_unknown = was_unknown;
  std::string key = key_of(owner.kind, owner.ns, owner.name) + grouper::api_group_of(owner.api_version);
  owners_.insert_or_assign(std::move(key), std::move(owner));
}

void FileOwners::add(FileOwner&& made) {
  std::string key = key_of(made.kind, made.ns, made.name) + grouper::api_group_of(made.api_version);
  owners_.try_emplace(std::move(key), std::move(made));
}

FileOwners::Reference FileOwners::reference_of(const nlohmann::json& object) {
  return {text_at(object, "/metadata/ownerReferences/0/apiVersion"),
          text_at(object, "/metadata/ownerReferences/0/kind"),
          text_at(object, "/metadata/namespace"),
          text_at(object, "/metadata/ownerReferences/0/name"),
          text_at(object, "/metadata/ownerReferences/0/uid"),
          grouper::label(object, "jobset.sigs.k8s.io/jobset-name")};
}

FileOwner* FileOwners::find(const Reference& reference) {
  const std::string key = key_of(reference.kind, reference.ns, reference.name);
  const auto found = owners_.lower_bound(key + grouper::api_group_of(reference.api_version));
  const bool may_be_any = reference.api_version.empty();
  if (found == owners_.end() || !found->first.starts_with(key) ||
      (!may_be_any && found->first != key + grouper::api_group_of(reference.api_version)))
    return nullptr;
  FileOwner& owner = found->second;
  const std::string uid = text_at(owner.json(), "/metadata/uid");
  const bool is_another = !reference.uid.empty() && !uid.empty() && uid != reference.uid;
  return is_another ? nullptr : &owner;
}

FileOwner* FileOwners::find(const std::string& group, const std::string& kind, const std::string& ns,
                            const std::string& name) {
  const auto found = owners_.find(key_of(kind, ns, name) + group);
  return found == owners_.end() ? nullptr : &found->second;
}

// Files often contain workloads and their pods, but not the objects between them. Those are found by name.
FileOwner* FileOwners::find_for_pod(const Reference& reference) {
  if (FileOwner* const owner = find(reference)) return owner;
  if (reference.kind == "ReplicaSet" && reference.name.find('-') != std::string::npos)
    return find(
        {"apps/v1", "Deployment", reference.ns, reference.name.substr(0, reference.name.rfind('-')), ""});
  if (reference.kind == "Job" && !reference.job_set.empty())
    return find({"jobset.x-k8s.io/v1alpha2", "JobSet", reference.ns, reference.job_set, ""});
  return nullptr;
}

void FileOwners::resolve_references() {
  for (auto& [key, owner] : owners_) {
    const Reference above = reference_of(owner.json());
    if (FileOwner* const parent = above.kind.empty() ? nullptr : find(above); parent != nullptr)
      parent->has_children = true;
  }
  for (const auto& [key, owned] : owned_pods_)
    if (FileOwner* const owner = find_for_pod(owned.owner))
      for (const auto& [name, pod] : owned.pods) owner->pods.push_back(pod);
}

std::vector<FileOwner*> FileOwners::owners_of(const nlohmann::json& pod) {
  std::vector<FileOwner*> owners;
  Reference reference = reference_of(pod);
  while (!reference.kind.empty() && owners.size() < kLongestChain) {
    FileOwner* const owner = owners.empty() ? find_for_pod(reference) : find(reference);
    if (owner == nullptr) break;
    owners.push_back(owner);
    reference = reference_of(owner->json());
  }
  return owners;
}

}  // namespace muster::loader
