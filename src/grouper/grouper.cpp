// Derives the fields of a PodGroup from the workload, its owners and the pod.
#include "grouper/grouper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "grouper/default_objects.hpp"
#include "grouper/fields.hpp"
#include "grouper/rules.hpp"
#include "grouper/workload_rules.hpp"
#include "util/keys.hpp"
#include "util/time.hpp"

namespace muster::grouper {
namespace {

// Annotations of other controllers, which have no meaning on a PodGroup, and those that only the scheduler
// may set.
constexpr const char* kNotCopied[] = {"kubectl.kubernetes.io/last-applied-configuration",
                                      "deployment.kubernetes.io/revision",
                                      keys::kLastStart,
                                      keys::kLastEviction,
                                      keys::kStale,
                                      keys::kRequeueNotBefore,
                                      keys::kRequeuedAt,
                                      keys::kQueue};
// Read from the pod if the workload does not have them.
constexpr const char* kAlsoFromPod[] = {"kai.scheduler/expected-runtime", "kai.scheduler/requeue-delay"};

// Everything that the fields of a PodGroup are derived from.
struct Sources {
  const json& pod;
  const json& top;  // the object that the group is created for, with inherited labels and annotations
  std::vector<const json*> owners;  // their labels take precedence over the pod's, in this order
  const std::vector<json>& chain;   // all owners, from the nearest to the top one
  const WorkloadRule& rule;
  const Member& member;
  const GroupingOptions& options;
};

std::string first_of(const Sources& s, std::string (*read)(const json&, const std::string&),
                     const std::string& key, const std::function<bool(const std::string&)>& is_good) {
  for (const json* owner : s.owners)
    if (std::string value = read(*owner, key); !value.empty() && is_good(value)) return value;
  std::string value = read(s.pod, key);
  return is_good(value) ? value : "";
}

std::string queue_of(const Sources& s) {
  for (const json* object : {&s.top, &s.pod})
    if (std::string queue = label(*object, s.options.queue_label); !queue.empty()) return queue;
  const std::string pool = label(s.pod, s.options.node_pool_label);
  for (const json* object : {&s.top, &s.pod})
    if (const std::string project = label(*object, "project"); !project.empty())
      return pool.empty() ? project : project + "-" + pool;
  return kDefaultQueue;
}

std::string priority_class_of(const Sources& s) {
  const auto exists = [&](const std::string& name) {
    return !name.empty() && s.options.has_priority_class(name);
  };
  if (std::string own = s.rule.own_class ? s.rule.own_class(s.member) : ""; exists(own)) return own;
  if (std::string named = first_of(s, &label, "priorityClassName", exists); !named.empty()) return named;
  if (std::string of_pod = text_at(s.pod, "/spec/priorityClassName"); exists(of_pod)) return of_pod;
  return s.rule.priority_class;
}

// The value in the spelling of a PodGroup, or "" if it is invalid.
std::string preemptibility_in(const json& object) {
  std::string value = label(object, "kai.scheduler/preemptibility");
  std::ranges::transform(value, value.begin(), [](unsigned char c) { return std::tolower(c); });
  const bool is_known = value == "preemptible" || value == "non-preemptible" || value == "semi-preemptible";
  return is_known ? value : "";
}

// The top owner takes precedence over those below it, and these over the pod.
std::string preemptibility_of(const Sources& s) {
  for (auto owner = s.chain.rbegin(); owner != s.chain.rend(); ++owner)
    if (std::string value = preemptibility_in(*owner); !value.empty()) return value;
  if (std::string value = preemptibility_in(s.top); !value.empty()) return value;
  return preemptibility_in(s.pod);
}

// Durations are written in Go's syntax, which every reader of PodGroups understands.
std::string duration_of(const Sources& s, const char* key, bool may_be_negative) {
  std::string value = first_of(s, &annotation, key, [&](const std::string& text) {
    const auto duration = parse_duration(text);
    return duration && (may_be_negative || *duration >= Duration::zero());
  });
  const bool is_go_syntax = value.find_first_of("dw") == std::string::npos;
  return is_go_syntax ? value : format_duration(*parse_duration(value));
}

void set_if(json& object, const char* key, std::string value) {
  if (!value.empty()) object[key] = std::move(value);
}

json spec_of(const Sources& s, json spec) {
  spec["queue"] = queue_of(s);
  spec["priorityClassName"] = priority_class_of(s);
  set_if(spec, "preemptibility", preemptibility_of(s));
  set_if(spec, "preemptionDelay", duration_of(s, "kai.scheduler/preemption-delay", false));
  set_if(spec, "stalenessGracePeriod", duration_of(s, "kai.scheduler/staleness-grace-period", true));
  // Fields that the shape sets take precedence.
  if (json topology = topology_asked_by(s.top); !topology.empty()) {
    topology.update(spec.value("topologyConstraint", json::object()));
    spec["topologyConstraint"] = std::move(topology);
  }
  return spec;
}

// ---------------------------------------------------------------- metadata

json copied(const json& map) {
  json copy = map.is_object() ? map : json::object();
  for (const char* key : kNotCopied) copy.erase(key);
  return copy;
}

json labels_of(const Sources& s) {
  json labels = copied(at(s.top, "/metadata/labels"));
  for (const std::string& key : {std::string("user"), s.options.node_pool_label})
    set_if(labels, key.c_str(), label(s.pod, key));
  return labels;
}

json annotations_of(const Sources& s) {
  json annotations = copied(at(s.top, "/metadata/annotations"));
  set_if(annotations, "user", annotation(s.pod, "user"));
  for (const char* key : kAlsoFromPod)
    if (!annotations.contains(key)) set_if(annotations, key, annotation(s.pod, key));
  const std::string version = text_at(s.top, "/apiVersion");
  const std::size_t slash = version.find('/');
  annotations["kai.scheduler/top-owner-metadata"] =
      fmt::format("name: {}\nuid: {}\ngroup: {}\nversion: {}\nkind: {}\n", text_at(s.top, "/metadata/name"),
                  text_at(s.top, "/metadata/uid"), slash == version.npos ? "" : version.substr(0, slash),
                  slash == version.npos ? version : version.substr(slash + 1), text_at(s.top, "/kind"));
  return annotations;
}

json metadata_of(const Sources& s) {
  const json& owner = s.rule.sharing == Sharing::kPod ? s.pod : s.top;
  const std::string name = text_at(owner, "/metadata/name"), uid = text_at(owner, "/metadata/uid");
  const std::string usual = group_name(name, uid);
  return {{"name", s.rule.name ? s.rule.name(s.member, usual) : usual},
          {"namespace", text_at(s.pod, "/metadata/namespace")},
          {"labels", labels_of(s)},
          {"annotations", annotations_of(s)},
          {"ownerReferences",
           {{{"apiVersion", text_at(owner, "/apiVersion")},
             {"kind", text_at(owner, "/kind")},
             {"name", name},
             {"uid", uid}}}}};
}

// The topmost owner with a rule of its own, or the pod.
const json& workload_of(const json& pod, const std::vector<json>& owners) {
  auto top = owners.rbegin();
  while (top != owners.rend() && is_looked_through(*top)) ++top;
  return top == owners.rend() ? pod : *top;
}

void inherit(json& heir, const json& from) {
  for (const char* map : {"labels", "annotations"}) {
    const json& given =
        at(from, map == std::string_view("labels") ? "/metadata/labels" : "/metadata/annotations");
    json& own = heir["metadata"][map];
    if (!own.is_object()) own = json::object();
    if (given.is_object()) own.insert(given.begin(), given.end());  // does not overwrite
  }
}

// The object that the group is made for, with the labels and annotations inherited from its owners.
json heir_of(const json& subject, const Member& member) {
  json heir = subject;
  if (&subject != &member.workload) inherit(heir, member.workload);
  for (const json& owner : member.owners)
    if (is_looked_through(owner)) inherit(heir, owner);
  return heir;
}

bool has_sub_group(const json& shape, const std::string& name) {
  const json& groups = at(shape, "/subGroups");
  return !groups.is_array() ||
         std::ranges::any_of(groups, [&](const json& group) { return text_at(group, "/name") == name; });
}

}  // namespace

std::string group_name(std::string_view owner, std::string_view uid) {
  constexpr std::size_t kLongest = 253, kAround = std::string_view("pg--").size();
  owner = owner.substr(0, kLongest - kAround - std::min(uid.size(), kLongest - kAround - 1));
  // A name part must end in a letter or digit.
  while (owner.size() > 1 && (owner.back() == '.' || owner.back() == '-')) owner.remove_suffix(1);
  return fmt::format("pg-{}-{}", owner, uid);
}

bool is_skipped(const json& object) { return annotation(object, "kai.scheduler/skip-podgrouper") == "true"; }

std::optional<Related> related_to(const json& pod, const std::vector<json>& owners) {
  const json& workload = workload_of(pod, owners);
  const WorkloadRule& rule = rule_for(workload);
  return rule.related ? rule.related({workload, pod, owners, json()}) : std::nullopt;
}

Result<GroupPlan> plan_group(const json& pod, const std::vector<json>& owners, const GroupingOptions& options,
                             const json& related) {
  const json& workload = workload_of(pod, owners);
  const WorkloadRule& rule = rule_for(workload);
  const Member member{workload, pod, owners, related};
  const auto subject = rule.subject ? rule.subject(member) : Result<const json*>(&workload);
  if (!subject) return subject.error();
  const json top = heir_of(**subject, member);
  Sources sources{pod, top, {}, owners, rule, member, options};
  if (!asks_all_owners(rule)) sources.owners.push_back(&top);
  for (const json& owner : owners)
    if (asks_all_owners(rule)) sources.owners.push_back(&owner);
  const auto shape = rule.shape(member);
  if (!shape) return shape.error();
  std::string sub_group = rule.sub_group(member);
  // The workload may have changed since it was read, so a later attempt may succeed.
  if (!has_sub_group(*shape, sub_group))
    return Error{fmt::format("the pod belongs to sub group \"{}\", which {} {} does not have", sub_group,
                             text_at(workload, "/kind"), text_at(workload, "/metadata/name"))};
  return GroupPlan{.pod_group = {{"apiVersion", "scheduling.run.ai/v2alpha2"},
                                 {"kind", "PodGroup"},
                                 {"metadata", metadata_of(sources)},
                                 {"spec", spec_of(sources, *shape)}},
                   .sub_group = std::move(sub_group)};
}

std::optional<std::string> sub_group_of_sibling(const json& pod, const std::vector<json>& owners) {
  const json& workload = workload_of(pod, owners);
  const WorkloadRule& rule = rule_for(workload);
  if (rule.sharing != Sharing::kOwner || &workload == &pod) return std::nullopt;
  return rule.sub_group({workload, pod, owners, json()});
}

json update_of(const json& pod_group) {
  json update = {
      {"metadata",
       {{"labels", pod_group["metadata"]["labels"]}, {"annotations", pod_group["metadata"]["annotations"]}}},
      {"spec", pod_group["spec"]}};
  update["spec"].erase("queue");
  return update;
}

}  // namespace muster::grouper
