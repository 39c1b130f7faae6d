// The state of pods, jobs, queues and nodes after the last cycle as JSON.
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "answers/api_forms.hpp"
#include "answers/json.hpp"
#include "report/job_state.hpp"
#include "report/json_parts.hpp"
#include "report/node_state.hpp"
#include "util/names.hpp"

namespace muster::report {
namespace {

using nlohmann::ordered_json;

const char* phase_of(TaskStatus status) {
  if (status == TaskStatus::kReleasing || status == TaskStatus::kStuckInReleasing) return "Releasing";
  if (in(status, kAllocatedSet)) return "Running";
  if (status == TaskStatus::kSucceeded) return "Succeeded";
  if (status == TaskStatus::kFailed) return "Failed";
  return "Pending";
}

std::vector<TaskId> pods_by_name(const Cluster& c) {
  std::vector<TaskId> pods;
  for (TaskId t : ids(c.tasks()))
    if (c.task(t).alive) pods.push_back(t);
  return sorted_by_name(pods, [&](TaskId t) { return c.task(t).full_name(); });
}

const char* priority_source(const Cluster& c, const Job& job) {
  const auto& classes = c.kept().all<PriorityClassObject>();
  if (classes.contains(job.priority_class)) return "priorityClassName";
  const bool has_default = std::any_of(classes.begin(), classes.end(),
                                       [](const auto& entry) { return entry.second.global_default; });
  return has_default ? "globalDefault" : "default";
}

// `share` is null if the plugin that computes fair shares is disabled.
ordered_json amounts_json(const Cluster& c, QueueId q, const QueueShare* share, Accounted r) {
  const QueueAmounts& amounts = c.queue(q).of(r);
  ordered_json json{{"quota", amounts.quota},
                    {"limit", amounts.limit},
                    {"overQuotaWeight", amounts.weight},
                    {"inUse", c.use(q).allocated.share(r)}};
  if (share == nullptr) return json;
  json["fairShare"] = share->fair_share[index(r)];
  json["wanted"] = share->requested[index(r)];
  return json;
}

ordered_json supply_json(const Cluster& c, NodeId n, Kind kind) {
  return {{"allocatable", c.allocatable().at(kind, n)}, {"free", c.idle().at(kind, n)}};
}

}  // namespace

ordered_json pods_json(const Cluster& c, const std::vector<JobId>* only) {
  const std::set<JobId> shown = only == nullptr ? std::set<JobId>() : std::set(only->begin(), only->end());
  ordered_json list = ordered_json::array();
  for (TaskId t : pods_by_name(c)) {
    const Task& task = c.task(t);
    if (only != nullptr && !shown.contains(task.job)) continue;
    const Placement& at = c.placement(t);
    ordered_json pod{{"name", task.full_name()},
                     {"podGroup", task.job.valid() ? c.job(task.job).name : ""},
                     {"phase", phase_of(at.status)}};
    if (at.node.valid()) pod["node"] = c.node(at.node).name;
    if (!c.groups(at.holding).empty()) pod["gpuGroups"] = answers::group_names(c, at.holding);
    list.push_back(std::move(pod));
  }
  return list;
}

namespace {

ordered_json sub_groups_json(const Job& job) {
  ordered_json list = ordered_json::array();
  for (const PodSet& set : job.pod_sets)
    list.push_back({{"name", set.name},
                    {"minPods", set.declared},
                    {"pods", set.counts.in(kAlive)},
                    {"podsRunning", set.counts.in(kAllocatedSet)}});
  return list;
}

}  // namespace

ordered_json job_properties_json(const Cluster& c, const Job& job) {
  ordered_json json{{"priority", job.priority},
                    {"prioritySource", priority_source(c, job)},
                    {"preemptibility", answers::name_of(job.preemptibility)},
                    {"preemptibilitySource", answers::name_of(job.preemptibility_source)},
                    {"created", format_time(job.created)},
                    {"pods", job.counts.in(kAlive)},
                    {"podsRunning", job.counts.in(kAllocatedSet)},
                    {"minPods", minimum_pods(job)},
                    {"gpus", gpus_of(c, job)}};
  if (job.pod_sets.size() > 1) json["subGroups"] = sub_groups_json(job);
  if (!job.priority_class.empty()) json["priorityClassName"] = job.priority_class;
  if (job.last_start) json["started"] = format_time(*job.last_start);
  return json;
}

ordered_json queues_json(const Cluster& c, const Round& last) {
  std::map<QueueId, const QueueShare*> shares;
  for (const QueueShare& share : last.decisions.shares) shares[share.queue] = &share;
  ordered_json list = ordered_json::array();
  for (QueueId q : c.queue_tree().depth_first()) {
    const Queue& queue = c.queue(q);
    const auto found = shares.find(q);
    const QueueShare* share = found == shares.end() ? nullptr : found->second;
    list.push_back(
        {{"name", queue.name},
         {"displayName", queue.display_name},
         {"parent", queue.parent.valid() ? ordered_json(c.queue(queue.parent).name) : ordered_json()},
         {"priority", queue.priority},
         {"resources",
          {{"cpu", amounts_json(c, q, share, Accounted::kCores)},
           {"memory", amounts_json(c, q, share, Accounted::kBytes)},
           {"gpu", amounts_json(c, q, share, Accounted::kGpus)}}}});
  }
  return list;
}

ordered_json nodes_json(const Cluster& c, const Decisions& last) {
  ordered_json list = ordered_json::array();
  for (const NodeState& stand : node_states(c, last)) {
    ordered_json shared = ordered_json::array(), conditions = ordered_json::array();
    for (const SharedGpuState& s : stand.shared)
      shared.push_back({{"gpuGroup", c.group_name(s.gpu)}, {"free", s.free}});
    for (const ConditionName& condition : stand.conditions) conditions.push_back(condition.name);
    list.push_back({{"name", c.node(stand.node).name},
                    {"gpus", stand.gpus},
                    {"gpusFree", stand.gpus_free},
                    {"sharedGpus", std::move(shared)},
                    {"cpu", supply_json(c, stand.node, kCpu)},
                    {"memory", supply_json(c, stand.node, kMemory)},
                    {"pods", stand.pods},
                    {"schedulable", stand.conditions.empty()},
                    {"conditions", std::move(conditions)}});
    if (stand.fragmented) list.back()["gpusFragmented"] = *stand.fragmented;
  }
  return list;
}

}  // namespace muster::report
