// Creates missing pods of workloads, PodGroups for pods without one, and the queues and classes they name.
#include "loader/workloads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "document/json.hpp"
#include "grouper/default_objects.hpp"
#include "grouper/fields.hpp"
#include "grouper/grouper.hpp"
#include "loader/claim_templates.hpp"
#include "loader/inputs.hpp"
#include "loader/object_places.hpp"
#include "manifest/kinds.hpp"
#include "policy/policy.hpp"
#include "sim/workload_objects.hpp"
#include "util/keys.hpp"
#include "util/names.hpp"

namespace muster::loader {
namespace {

using grouper::text_at;

constexpr std::size_t kMostPodsOfAllWorkloads = 250'000;
constexpr const char* kGroupAnnotation = "pod-group-name";
constexpr const char* kSubGroupLabel = "kai.scheduler/subgroup-name";

std::string kind_text(const FileOwner& owner) {
  return owner.api_version + (owner.api_version.empty() ? "" : " ") + owner.kind;
}

std::string full_name(const nlohmann::json& object) {
  return text_at(object, "/metadata/namespace") + "/" + text_at(object, "/metadata/name");
}

bool is_in_group(const nlohmann::json& pod) { return !grouper::annotation(pod, kGroupAnnotation).empty(); }

// The start time of the pod; "" if it is not on a node or does not report one.
std::string start_of(const nlohmann::json& pod) {
  return text_at(pod, "/spec/nodeName").empty() ? "" : text_at(pod, "/status/startTime");
}

}  // namespace

static std::vector<nlohmann::json> objects_of(const std::vector<FileOwner*>& owners) {
  std::vector<nlohmann::json> objects;
  for (FileOwner* owner : owners) objects.push_back(with_uid(owner->json()));
  return objects;
}

Workloads::Workloads(Inputs& inputs, ObjectPlaces& places, const DecodeOptions& options, ObjectSink take)
    : inputs_(inputs),
      places_(places),
      options_(options),
      take_(std::move(take)),
      owners_(policy::cluster_options(inputs.config.params)) {}

void Workloads::note(const Document& document) {
  const ObjectKind* const known = find_kind(grouper::api_group_of(document.api_version()), document.kind());
  if (known != nullptr && known->kind == PodObject::kKind) return owners_.note_pod(document);
  if (known != nullptr) return;
  std::string kind(document.api_version());
  kind += (kind.empty() ? "" : " ") + std::string(document.kind());
  const auto counted_now = inputs_.findings.unknown_kinds.find(kind);
  const std::int64_t count = counted_now == inputs_.findings.unknown_kinds.end() ? 0 : counted_now->second;
  std::int64_t& seen = unknown_seen_[kind];
  owners_.note_other(document, count > seen);
  seen = count;
}

void Workloads::finish() {
  owners_.resolve_references();
  if (!inputs_.over_time) make_cron_job_runs();
  for (auto& [key, owner] : owners_.all())
    if (grouper::makes_pods(owner.api_version, owner.kind)) make_pods(owner);
  if (inputs_.over_time) pass_on_workloads();
  for (auto& [key, pod] : owners_.ungrouped()) group(pod);
  for (auto& [key, pod] : owners_.without_claims()) add_missing_claims(pod);
  apply_groups();
  note_created_objects();
  add_default_queues();
  add_priority_classes();
  note_ignored_objects();
}

// ---------------------------------------------------------------- pods

void Workloads::make_cron_job_runs() {
  std::vector<FileOwner> runs;
  for (auto& [key, owner] : owners_.all())
    if (auto job = owner.has_children ? std::nullopt : grouper::next_run(owner.json());
        job && text_at(*job, "/spec/template/spec/schedulerName") == inputs_.config.params.scheduler_name) {
      FileOwner& run = runs.emplace_back(std::move(*job), owner.where);
      run.above_path = "spec.jobTemplate.";
    }
  made_runs_ = runs.size();
  for (FileOwner& run : runs) owners_.add(std::move(run));
}

// Passes on the workloads whose controllers go on creating pods while time passes.
void Workloads::pass_on_workloads() {
  for (auto& [key, owner] : owners_.all()) {
    const bool has_runs = owner.kind == "CronJob" && grouper::next_run(owner.json());
    if (has_runs) owner.is_used = true;
    if (!grouper::makes_pods(owner.api_version, owner.kind) || !owner.is_used) continue;
    ControlledWorkload workload{.object = owner.json().dump(-1, ' ', false, json::error_handler_t::replace),
                                .pods = {}};
    for (const grouper::PresentPod& pod : owner.pods) workload.pods.push_back(pod.name);
    inputs_.workloads.push_back(std::move(workload));
  }
}

void Workloads::make_pods(FileOwner& workload) {
  auto missing = grouper::missing_pods(workload.json(), workload.pods);
  if (!missing) {
    Error error = missing.error();
    error.where.file = workload.where.file;
    error.where.line = workload.where.line;
    error.where.object = workload.where.object;
    error.where.path = workload.above_path + error.where.path;
    return inputs_.findings.errors.push_back(std::move(error));
  }
  const std::string& ours = inputs_.config.params.scheduler_name;
  const bool is_ours = std::ranges::find(missing->schedulers, ours) != missing->schedulers.end();
  workload.why_unused = std::move(missing->why_none);
  if (workload.why_unused.empty() && !is_ours) workload.why_unused = "schedulerName is not " + ours;
  workload.is_used = workload.why_unused.empty();
  if (inputs_.over_time && creates_pods_in_order(workload.json()) && missing->pods.size() > 1)
    missing->pods.resize(1);
  if (workload.is_used && !workload.has_children) make_pods(workload, std::move(missing->pods));
}

void Workloads::make_pods(FileOwner& workload, std::vector<grouper::MadePod>&& pods) {
  if (pods.size() > kMostPodsOfAllWorkloads - made_pods_)
    return inputs_.findings.errors.push_back(
        {fmt::format("the workloads need more than {} pods in total; the pods of this one are not created",
                     kMostPodsOfAllWorkloads),
         workload.where});
  made_pods_ += pods.size();
  if (!pods.empty() && grouper::at(workload.json(), "/spec/volumeClaimTemplates").is_array())
    ++without_volumes_;
  std::string reported;  // the last template whose findings were reported; its pods all have the same ones
  bool is_usable = true;
  for (auto& [pod, path] : pods) {
    const Origin origin{workload.where, workload.above_path + path};
    set_default_priority_class(pod, inputs_.cluster);
    const bool is_first = std::exchange(reported, path) != path;
    if (!is_usable && !is_first) continue;
    if (text_at(pod, "/spec/schedulerName") == inputs_.config.params.scheduler_name) {
      join_group(pod, owners_.owners_of(pod), origin);
      add_claims(pod, origin);
    }
    Findings ignored;
    is_usable = apply(pod, origin, is_first ? &inputs_.findings : &ignored);
    if (is_usable) workload.pods.push_back({.name = text_at(pod, "/metadata/name")});
  }
}

void Workloads::group(FileObject& object) {
  nlohmann::json pod = object.json();
  const std::vector<FileOwner*> owners = owners_.owners_of(pod);
  if (owners.empty() && !text_at(pod, "/metadata/ownerReferences/0/kind").empty()) ++ownerless_;
  const Origin origin{object.where, ""};
  if (text_at(pod, "/metadata/uid").empty()) set_default_priority_class(pod, inputs_.cluster);
  if (!join_group(pod, owners, origin)) return;
  add_claims(pod, origin);
  Findings already_reported;
  apply(pod, origin, &already_reported);
}

void Workloads::add_missing_claims(FileObject& object) {
  nlohmann::json pod = object.json();
  const Origin origin{object.where, ""};
  add_claims(pod, origin);
  Findings already_reported;
  apply(pod, origin, &already_reported);
}

void Workloads::add_claims(nlohmann::json& pod, const Origin& origin) {
  const auto made = [&](const nlohmann::json& claim, const FileOwner& made_from) {
    made_claims_ += apply(claim, {made_from.where, "spec"}, &inputs_.findings);
  };
  const auto missing = [&](const std::string& name) {
    if (!warned_.insert("ResourceClaimTemplate " + text_at(pod, "/metadata/namespace") + "/" + name).second)
      return;
    Location where = origin.where;
    where.path = origin.path + (origin.path.empty() ? "" : ".") + "spec.resourceClaims";
    inputs_.findings.warnings.push_back(
        {fmt::format("ResourceClaimTemplate \"{}\" is not in these files, so the claim that its pods wait "
                     "for is never created",
                     name),
         std::move(where)});
  };
  loader::add_claims(pod, owners_, {made, missing});
}

// ---------------------------------------------------------------- groups

bool Workloads::join_group(nlohmann::json& pod, const std::vector<FileOwner*>& owners, const Origin& origin) {
  if (is_in_group(pod)) return false;
  std::string sub_group;
  const std::string name = plan(pod, owners, origin, sub_group);
  if (name.empty()) return false;
  nlohmann::json& metadata = pod["metadata"];
  if (!metadata["annotations"].is_object()) metadata["annotations"] = nlohmann::json::object();
  metadata["annotations"][kGroupAnnotation] = name;
  if (!metadata["labels"].is_object()) metadata["labels"] = nlohmann::json::object();
  if (!sub_group.empty()) metadata["labels"][kSubGroupLabel] = sub_group;
  return true;
}

std::string Workloads::plan(const nlohmann::json& pod, const std::vector<FileOwner*>& owners,
                            const Origin& origin, std::string& sub_group) {
  const std::vector<nlohmann::json> objects = objects_of(owners);
  if (grouper::is_skipped(pod) || std::ranges::any_of(objects, &grouper::is_skipped)) return ++skipped_, "";
  const FileOwner* const nearest = owners.empty() ? nullptr : owners.front();
  std::string name;
  if (const auto known = group_of_owner_.find(nearest); known != group_of_owner_.end())
    if (auto shared = grouper::sub_group_of_sibling(pod, objects)) {
      sub_group = std::move(*shared);
      name = known->second;
    }
  if (name.empty()) name = plan_new(pod, objects, origin, sub_group);
  if (name.empty()) return name;
  if (nearest != nullptr) group_of_owner_[nearest] = name;
  for (FileOwner* owner : owners) owner->is_used = true;
  std::string& first_start = groups_.at(text_at(pod, "/metadata/namespace") + "/" + name).start;
  if (std::string start = start_of(pod); !start.empty() && (first_start.empty() || start < first_start))
    first_start = std::move(start);
  return name;
}

// Objects that are selected by labels are not looked up: they are pods that may not have been created yet.
nlohmann::json Workloads::related_to(const nlohmann::json& pod, const std::vector<nlohmann::json>& owners) {
  const auto related = grouper::related_to(pod, owners);
  if (!related || !related->labels.empty()) return nullptr;
  FileOwner* const found = owners_.find(grouper::api_group_of(related->api_version), related->kind,
                                        text_at(pod, "/metadata/namespace"), related->name);
  if (found == nullptr) return nullptr;
  found->is_used = true;
  return with_uid(found->json());
}

std::string Workloads::plan_new(const nlohmann::json& pod, const std::vector<nlohmann::json>& owners,
                                const Origin& origin, std::string& sub_group) {
  const grouper::GroupingOptions options{.queue_label = inputs_.config.params.queue_label_key,
                                         .node_pool_label = inputs_.config.params.node_pool_label_key,
                                         .has_priority_class = [this](const std::string& name) {
                                           return has_priority_class(name) ||
                                                  !grouper::shipped_priority_class(name).is_null();
                                         }};
  auto plan = grouper::plan_group(with_uid(pod), owners, options, related_to(pod, owners));
  if (!plan) {
    if (warned_.insert(origin.where.object).second)
      inputs_.findings.warnings.push_back({plan.error().text() + "; its pods get no PodGroup", origin.where});
    return "";
  }
  const nlohmann::json& top = owners.empty() ? pod : owners.back();
  if (const std::string created = text_at(top, "/metadata/creationTimestamp"); !created.empty())
    plan->pod_group["metadata"]["creationTimestamp"] = created;
  sub_group = std::move(plan->sub_group);
  const std::string key = full_name(plan->pod_group);
  std::string name = text_at(plan->pod_group, "/metadata/name");
  // The plan for a later pod replaces an earlier one: it may count more workers that exist.
  PlannedGroup& group = groups_.try_emplace(key, PlannedGroup{{}, {origin.where, ""}, ""}).first->second;
  group.object = std::move(plan->pod_group);
  return name;
}

bool Workloads::exists(const nlohmann::json& pod_group) const {
  const JobId job = inputs_.cluster.find_job(text_at(pod_group, "/metadata/namespace"),
                                             text_at(pod_group, "/metadata/name"));
  return job.valid() && inputs_.cluster.job(job).present;
}

void Workloads::apply_groups() {
  for (auto& [name, group] : groups_) {
    if (exists(group.object)) continue;
    if (!group.start.empty())
      group.object["metadata"]["annotations"][std::string(keys::kLastStart)] = group.start;
    apply(group.object, group.origin, &inputs_.findings);
  }
}

// ---------------------------------------------------------------- what groups need

bool Workloads::has_priority_class(const std::string& name) const {
  return inputs_.cluster.kept().find<PriorityClassObject>(name) != nullptr;
}

void Workloads::add_priority_classes() {
  std::set<std::string> wanted, made;
  const auto want = [&](const Object& object) {
    if (const auto* group = std::get_if<PodGroupObject>(&object)) wanted.insert(group->priority_class);
  };
  for (const Job& job : inputs_.cluster.jobs())
    if (job.present) wanted.insert(job.priority_class);
  for (const Agenda::Later& later : inputs_.agenda.later) want(later.object);
  for (const Step& step : inputs_.agenda.steps) std::ranges::for_each(step.apply, want);
  for (const std::string& name : wanted)
    if (!has_priority_class(name) && apply(grouper::shipped_priority_class(name), {}, &inputs_.findings))
      made.insert(name);
  made.erase("train");  // has the value that all jobs have
  for (const std::string& name : made)
    inputs_.notes.push_back(fmt::format("no PriorityClass {} in these files: using KAI-Scheduler's value {}",
                                        name, grouper::shipped_priority_class(name)["value"].get<int>()));
}

void Workloads::add_default_queues() {
  const auto is_default = [](const auto& entry) {
    return text_at(entry.second.object, "/spec/queue") == grouper::kDefaultQueue;
  };
  const bool may_come = !inputs_.workloads.empty() ||
                        std::ranges::any_of(inputs_.agenda.steps,
                                            [](const Step& step) { return !step.apply_workloads.empty(); });
  if (inputs_.findings.known_kinds.contains("Queue") ||
      (!may_come && std::ranges::none_of(groups_, is_default)))
    return;
  for (const nlohmann::json& queue : grouper::default_queues()) apply(queue, {}, &inputs_.findings);
  inputs_.notes.push_back("no Queue in these files: using the default queues, as serve does");
}

// ---------------------------------------------------------------- notes

void Workloads::add_note(std::size_t count, std::string_view noun, std::string_view text) {
  if (count > 0) inputs_.notes.push_back(fmt::format("{} {}", counted(count, noun), text));
}

void Workloads::note_created_objects() {
  add_note(made_runs_, "CronJob", "treated as due: the pods of one run are created");
  add_note(made_pods_, "pod", "created for workloads, as their controllers would");
  add_note(made_claims_, "ResourceClaim", "created from templates, as a controller would");
  add_note(groups_.size(), "PodGroup", "created, as the pod grouper would");
  add_note(ownerless_, "pod", "grouped individually: the owner is not in these files");
}

// Counts unused workloads by kind and reason, and removes used and explained objects from the unknown kinds.
// A workload that only describes pods in the files needs no reason.
std::map<std::pair<std::string, std::string>, std::size_t> Workloads::unused_workloads() {
  std::map<std::pair<std::string, std::string>, std::size_t> unused;
  Findings& findings = inputs_.findings;
  for (const auto& [key, owner] : owners_.all()) {
    const bool is_explained = owner.is_used || !owner.why_unused.empty();
    const bool wants_pods =
        owner.why_unused.find("no spec") != 0 && owner.pods.empty() && !owner.has_children;
    if (!owner.is_used && is_explained && (owner.was_unknown || wants_pods))
      ++unused[{kind_text(owner), owner.why_unused}];
    if (is_explained && owner.was_unknown) --findings.unknown_kinds[kind_text(owner)];
    if (owner.is_used && owner.was_unknown) ++findings.known_kinds[owner.kind];
  }
  std::erase_if(findings.unknown_kinds, [](const auto& entry) { return entry.second == 0; });
  return unused;
}

void Workloads::note_ignored_objects() {
  const std::string& ours = inputs_.config.params.scheduler_name;
  add_note(without_volumes_, "StatefulSet", "with volumeClaimTemplates: the volumes are ignored");
  add_note(skipped_, "pod", "without a PodGroup, as kai.scheduler/skip-podgrouper requests");
  add_note(owners_.stray_pods(), "pod",
           "with label kai.scheduler/queue but a schedulerName other than " + ours + ": not scheduled");
  for (const auto& [what, count] : unused_workloads())
    add_note(count, "object", fmt::format("of kind {} not used: {}", what.first, what.second));
}

bool Workloads::apply(const nlohmann::json& object, const Origin& origin, Findings* findings) {
  if (object.is_null()) return false;
  Findings own;
  bool is_applied = false;
  const auto sink = [&](Object&& decoded) {
    take_(std::move(decoded));
    is_applied = true;
  };
  read_documents_in(
      origin.where.file, object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
      [&](const Document& document) { decode_object(document, options_, sink, own); },
      [&](const Error& error) { own.errors.push_back(error); });
  const auto is_reported = [&](const Error& error, const std::vector<Error>& reported) {
    return std::ranges::any_of(reported, [&](const Error& e) {
      return e.where.object == error.where.object && e.where.path == error.where.path &&
             e.message == error.message;
    });
  };
  const auto pass_on = [&](std::vector<Error>& from, std::vector<Error>& to) {
    for (Error& error : from) {
      const std::string path = origin.path.empty() ? error.where.path : origin.path + "." + error.where.path;
      error.where = origin.where;
      error.where.path = path;
      if (!is_reported(error, to)) to.push_back(std::move(error));
    }
  };
  pass_on(own.errors, findings->errors);
  pass_on(own.warnings, findings->warnings);
  if (is_applied && !origin.where.file.empty())
    places_.note_made(text_at(object, "/kind") + " " + full_name(object), origin.where);
  return is_applied;
}

}  // namespace muster::loader
