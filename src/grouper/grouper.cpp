// The fields of a PodGroup, each from whom it is asked of: the workload, its owners, the pod.
#include "grouper/grouper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "grouper/default_objects.hpp"
#include "grouper/fields.hpp"
#include "grouper/workload_rules.hpp"
#include "util/keys.hpp"
#include "util/time.hpp"

namespace muster::grouper {
namespace {

// Bookkeeping of other controllers, which means nothing on a PodGroup, and what only the scheduler may say.
constexpr const char* kNotCopied[] = {"kubectl.kubernetes.io/last-applied-configuration",
                                      "deployment.kubernetes.io/revision",
                                      keys::kLastStart,
                                      keys::kLastEviction,
                                      keys::kStale,
                                      keys::kRequeueNotBefore,
                                      keys::kRequeuedAt,
                                      keys::kQueue};
// Read from the pod where the workload does not carry them.
constexpr const char* kAlsoFromPod[] = {"kai.scheduler/expected-runtime", "kai.scheduler/requeue-delay"};

// Everything that the fields of a PodGroup are derived from.
struct Sources {
  const json& pod;
  const json& top;                  // the owner whose rule counts, or the pod
  std::vector<const json*> owners;  // whose labels are asked, in this order, before the pod's
  const std::vector<json>& chain;   // all owners, from the nearest to the top one
  const WorkloadRule& rule;
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
  if (std::string of_ray = label(s.top, "ray.io/priority-class-name"); exists(of_ray)) return of_ray;
  if (std::string named = first_of(s, &label, "priorityClassName", exists); !named.empty()) return named;
  if (std::string of_pod = text_at(s.pod, "/spec/priorityClassName"); exists(of_pod)) return of_pod;
  return s.rule.priority_class;
}

// As it is written in a PodGroup; "" where it is none.
std::string preemptibility_in(const json& object) {
  std::string value = label(object, "kai.scheduler/preemptibility");
  std::ranges::transform(value, value.begin(), [](unsigned char c) { return std::tolower(c); });
  const bool is_known = value == "preemptible" || value == "non-preemptible" || value == "semi-preemptible";
  return is_known ? value : "";
}

// The top owner decides before those below it, and these before the pod.
std::string preemptibility_of(const Sources& s) {
  for (auto owner = s.chain.rbegin(); owner != s.chain.rend(); ++owner)
    if (std::string value = preemptibility_in(*owner); !value.empty()) return value;
  return preemptibility_in(s.pod);
}

// In Go's syntax, which everybody who reads PodGroups knows.
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

json topology_of(const json& top) {
  json constraint = json::object();
  set_if(constraint, "topology", annotation(top, "kai.scheduler/topology"));
  set_if(constraint, "requiredTopologyLevel", annotation(top, "kai.scheduler/topology-required-placement"));
  set_if(constraint, "preferredTopologyLevel", annotation(top, "kai.scheduler/topology-preferred-placement"));
  return constraint;
}

json spec_of(const Sources& s, json spec) {
  spec["queue"] = queue_of(s);
  spec["priorityClassName"] = priority_class_of(s);
  set_if(spec, "preemptibility", preemptibility_of(s));
  set_if(spec, "preemptionDelay", duration_of(s, "kai.scheduler/preemption-delay", false));
  set_if(spec, "stalenessGracePeriod", duration_of(s, "kai.scheduler/staleness-grace-period", true));
  if (json topology = topology_of(s.top); !topology.empty()) spec["topologyConstraint"] = std::move(topology);
  return spec;
}

// ---------------------------------------------------------------- metadata

json copied(const json& map) {
  json copy = map.is_object() ? map : json::object();
  for (const char* key : kNotCopied) copy.erase(key);
  return copy;
}

json labels_of(const Sources& s, const std::vector<json>& owners) {
  json labels = json::object();
  for (auto owner = owners.rbegin(); owner != owners.rend(); ++owner)
    if (is_looked_through(*owner)) labels.update(copied(at(*owner, "/metadata/labels")));
  labels.update(copied(at(s.top, "/metadata/labels")));
  for (const std::string& key : {std::string("user"), s.options.node_pool_label})
    set_if(labels, key.c_str(), label(s.pod, key));
  return labels;
}

json annotations_of(const Sources& s, const std::vector<json>& owners) {
  json annotations = json::object();
  for (auto owner = owners.rbegin(); owner != owners.rend(); ++owner)
    if (is_looked_through(*owner)) annotations.update(copied(at(*owner, "/metadata/annotations")));
  annotations.update(copied(at(s.top, "/metadata/annotations")));
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

json metadata_of(const Sources& s, const std::vector<json>& owners) {
  const json& owner = s.rule.one_group_per_pod ? s.pod : s.top;
  const std::string name = text_at(owner, "/metadata/name"), uid = text_at(owner, "/metadata/uid");
  return {{"name", group_name(name, uid)},
          {"namespace", text_at(s.pod, "/metadata/namespace")},
          {"labels", labels_of(s, owners)},
          {"annotations", annotations_of(s, owners)},
          {"ownerReferences",
           {{{"apiVersion", text_at(owner, "/apiVersion")},
             {"kind", text_at(owner, "/kind")},
             {"name", name},
             {"uid", uid}}}}};
}

// The topmost owner that has a rule of its own, or the pod.
const json& workload_of(const json& pod, const std::vector<json>& owners) {
  auto top = owners.rbegin();
  while (top != owners.rend() && is_looked_through(*top)) ++top;
  return top == owners.rend() ? pod : *top;
}

}  // namespace

std::string group_name(std::string_view owner, std::string_view uid) {
  constexpr std::size_t kLongest = 253, kAround = std::string_view("pg--").size();
  owner = owner.substr(0, kLongest - kAround - std::min(uid.size(), kLongest - kAround - 1));
  // What comes before a dash or a dot's end must be a letter or digit.
  while (owner.size() > 1 && (owner.back() == '.' || owner.back() == '-')) owner.remove_suffix(1);
  return fmt::format("pg-{}-{}", owner, uid);
}

bool is_skipped(const json& object) { return annotation(object, "kai.scheduler/skip-podgrouper") == "true"; }

Result<GroupPlan> plan_group(const json& pod, const std::vector<json>& owners,
                             const GroupingOptions& options) {
  const json& workload = workload_of(pod, owners);
  Sources sources{pod, workload, {}, owners, rule_for(workload), options};
  for (const json& owner : owners)
    if (asks_all_owners(sources.rule) || &owner == &workload) sources.owners.push_back(&owner);
  const auto shape = sources.rule.shape(workload, pod);
  if (!shape) return shape.error();
  return GroupPlan{.pod_group = {{"apiVersion", "scheduling.run.ai/v2alpha2"},
                                 {"kind", "PodGroup"},
                                 {"metadata", metadata_of(sources, owners)},
                                 {"spec", spec_of(sources, *shape)}},
                   .sub_group = sources.rule.sub_group(workload, pod)};
}

std::optional<std::string> sub_group_of_sibling(const json& pod, const std::vector<json>& owners) {
  const json& workload = workload_of(pod, owners);
  const WorkloadRule& rule = rule_for(workload);
  if (rule.one_group_per_pod || &workload == &pod) return std::nullopt;
  return rule.sub_group(workload, pod);
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
