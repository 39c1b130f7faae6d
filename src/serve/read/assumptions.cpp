// Applies assumed writes to the model and to objects from before the write.
#include "serve/read/assumptions.hpp"

#include "model/cluster.hpp"
#include "util/keys.hpp"

namespace muster::serve {
namespace {

std::string key_of(const std::string& ns, const std::string& name) { return ns + "/" + name; }

std::vector<std::string> names_of(const Cluster& cluster, HoldingId list) {
  std::vector<std::string> names;
  for (const GroupId group : cluster.groups(list)) names.push_back(cluster.group_name(group));
  return names;
}

using TimeField = std::optional<TimePoint> PodGroupObject::*;
using TextField = std::optional<std::string> PodGroupObject::*;

constexpr std::pair<const char*, TimeField> kTimes[] = {{keys::kLastStart, &PodGroupObject::last_start},
                                                        {keys::kLastEviction, &PodGroupObject::last_eviction},
                                                        {keys::kStale, &PodGroupObject::stale_since}};
constexpr std::pair<const char*, TextField> kTexts[] = {
    {keys::kRequeueNotBefore, &PodGroupObject::requeue_not_before},
    {keys::kRequeuedAt, &PodGroupObject::requeued_at}};

// Returns true if the field already had the value.
template <class Value>
bool set_to(Value& field, Value wanted) {
  const bool was_there = field == wanted;
  field = std::move(wanted);
  return was_there;
}

std::optional<TimePoint> time_of(const std::optional<std::string>& text) {
  return text ? parse_time(*text) : std::nullopt;
}

// Sets the field of the annotation. Returns true if it already had the value, or if no field belongs to it.
bool correct_annotation(PodGroupObject& group, const std::string& key,
                        const std::optional<std::string>& value) {
  for (const auto& [name, field] : kTimes)
    if (key == name) return set_to(group.*field, time_of(value));
  for (const auto& [name, field] : kTexts)
    if (key == name) return set_to(group.*field, value);
  return true;
}

}  // namespace

std::vector<ClaimAllocation> claims_of(const Cluster& cluster, TaskId task, HoldingId held) {
  std::vector<ClaimAllocation> claims;
  const auto& references = cluster.shape_of(task).constraints.resource_claims;
  const auto& allocations = cluster.holding(held).claims;
  for (std::size_t i = 0; i < references.size() && i < allocations.size(); ++i)
    if (allocations[i].valid())
      claims.push_back({references[i].name, cluster.devices().allocation(allocations[i]).object});
  return claims;
}

// ---------------------------------------------------------------- binds

void Assumptions::bind(Cluster& cluster, TaskId task, NodeId node, HoldingId holding) {
  const Task& t = cluster.task(task);
  binds_[t.full_name()] = t.uid;
  BindRequestObject request;
  request.meta.ns = t.ns;
  request.meta.name = request.pod = t.name;
  request.pod_uid = t.uid;
  request.node = cluster.node(node).name;
  request.gpu_groups = names_of(cluster, holding);
  request.claims = claims_of(cluster, task, holding);
  request.volumes = cluster.holding(holding).volumes;
  cluster.apply(std::move(request));
}

bool Assumptions::binds(const std::string& ns, const std::string& name, const std::string& uid) const {
  const auto bind = binds_.find(key_of(ns, name));
  return bind != binds_.end() && bind->second == uid;
}

void Assumptions::end_bind(Cluster& cluster, const std::string& ns, const std::string& name,
                           const std::string& uid) {
  if (!binds(ns, name, uid)) return;
  binds_.erase(key_of(ns, name));
  cluster.remove(BindRequestObject::kKind, ns, name);
}

// ---------------------------------------------------------------- evictions

void Assumptions::evict(Cluster& cluster, TaskId task, JobId preemptor, TimePoint now) {
  const Task& t = cluster.task(task);
  evictions_[t.uid] = {.since = now};
  if (preemptor.valid()) {
    evictions_[t.uid].preemptor_ns = cluster.job(preemptor).ns;
    evictions_[t.uid].preemptor = cluster.job(preemptor).name;
  }
  Observed seen = t.observed;
  seen.deletion = now;
  cluster.observe(task, seen);
}

void Assumptions::end_eviction(Cluster& cluster, const std::string& ns, const std::string& name,
                               const std::string& uid) {
  const auto found = evictions_.find(uid);
  if (found == evictions_.end()) return;
  const Eviction eviction = std::move(found->second);
  evictions_.erase(found);
  const TaskId task = cluster.find_task(ns, name);
  if (!task.valid() || cluster.task(task).uid != uid) return;
  const JobId preemptor = cluster.find_job(eviction.preemptor_ns, eviction.preemptor);
  if (preemptor.valid() && cluster.task(task).job.valid())
    cluster.forget_displaced(preemptor, cluster.task(task).job);
  Observed seen = cluster.task(task).observed;
  seen.deletion.reset();
  cluster.observe(task, seen);
}

// ---------------------------------------------------------------- annotations

void Assumptions::annotate(const std::string& ns, const std::string& name, const AnnotationChanges& changes) {
  AnnotationChanges& all = annotations_[key_of(ns, name)];
  for (const auto& [key, value] : changes) all[key] = value;
}

void Assumptions::end_annotations(const std::string& ns, const std::string& name) {
  annotations_.erase(key_of(ns, name));
}

// ---------------------------------------------------------------- groups

void Assumptions::join(const std::string& uid, std::string group, std::string sub_group) {
  groups_[uid] = {std::move(group), std::move(sub_group)};
}

const std::pair<std::string, std::string>* Assumptions::group_of(const std::string& uid) const {
  const auto found = groups_.find(uid);
  return found == groups_.end() ? nullptr : &found->second;
}

// ---------------------------------------------------------------- objects from the watch

void Assumptions::correct(PodObject& pod) {
  if (const auto group = groups_.find(pod.meta.uid); group != groups_.end()) {
    if (pod.pod_group.empty()) {
      pod.pod_group = group->second.first;
      if (pod.sub_group.empty()) pod.sub_group = group->second.second;
    } else {
      groups_.erase(group);
    }
  }
  if (const auto eviction = evictions_.find(pod.meta.uid); eviction != evictions_.end()) {
    if (pod.deletion)
      evictions_.erase(eviction);
    else
      pod.deletion = eviction->second.since;
  }
}

// Called once the pod is in the model as the watch shows it; until then it counts as being bound.
void Assumptions::settle_bind(Cluster& cluster, TaskId id) {
  const Task& task = cluster.task(id);
  const auto bind = binds_.find(task.full_name());
  if (bind == binds_.end()) return;
  const Observed& seen = task.observed;
  const bool is_over = bind->second != task.uid || seen.node.valid() || seen.phase == PodPhase::kSucceeded ||
                       seen.phase == PodPhase::kFailed;
  if (is_over) end_bind(cluster, task.ns, task.name, std::string(bind->second));
}

void Assumptions::correct(PodGroupObject& group) {
  const auto assumed = annotations_.find(key_of(group.meta.ns, group.meta.name));
  if (assumed == annotations_.end()) return;
  bool is_shown = true;
  for (const auto& [key, value] : assumed->second) is_shown &= correct_annotation(group, key, value);
  if (is_shown) annotations_.erase(assumed);
}

void Assumptions::forget_pod(Cluster& cluster, const std::string& ns, const std::string& name) {
  const std::string key = key_of(ns, name);
  if (const auto bind = binds_.find(key); bind != binds_.end())
    end_bind(cluster, ns, name, std::string(bind->second));
  const TaskId task = cluster.find_task(ns, name);
  if (!task.valid()) return;
  evictions_.erase(cluster.task(task).uid);
  groups_.erase(cluster.task(task).uid);
}

}  // namespace muster::serve
