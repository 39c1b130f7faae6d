// Jobs without a usable queue or topology, pods without a job, pods that no node could hold.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "cli/checks/checks.hpp"
#include "cli/report/job_state.hpp"
#include "cli/report/names.hpp"
#include "model/reason_text.hpp"
#include "util/suggest.hpp"

namespace muster::cli {
namespace {

constexpr const char* kGroupField = "metadata.annotations.pod-group-name";
constexpr const char* kSubGroupField = "metadata.labels.kai.scheduler/subgroup-name";

std::string pod(const Cluster& cluster, TaskId t) { return "Pod " + cluster.task(t).full_name(); }

// "" for one pod, " (and 7 more pods)" for eight.
std::string and_others(std::size_t pods) {
  return pods == 1 ? "" : fmt::format(" (as for {})", counted(pods - 1, "more pod"));
}

std::string nearest_queue(const Cluster& cluster, const std::string& name) {
  std::vector<std::string_view> known;
  for (const Queue& queue : cluster.queues())
    if (queue.present) known.push_back(queue.name);
  return did_you_mean(name, known);
}

std::string nearest_group(const Cluster& cluster, const Job& missing) {
  std::vector<std::string_view> known;
  for (const Job& job : cluster.jobs())
    if (job.present && job.ns == missing.ns) known.push_back(job.name);
  return did_you_mean(missing.name, known);
}

void check_queue(const Cluster& cluster, const Job& job, Warnings& warnings) {
  const std::string object = "PodGroup " + job.full_name();
  if (job.queue_name.empty()) return warnings.add(object, "spec.queue", "is missing: the job can not run");
  const Queue& queue = cluster.queue(job.queue);
  if (!queue.present)
    return warnings.add(
        object, "spec.queue",
        fmt::format("queue \"{}\" is not in these files{}", queue.name, nearest_queue(cluster, queue.name)));
  if (!queue.usable)
    return warnings.add(object, "spec.queue",
                        fmt::format("queue \"{}\" can not be reached, so the job can not run", queue.name));
  if (!queue.is_leaf())
    warnings.add(object, "spec.queue",
                 fmt::format("queue \"{}\" has queues below it; jobs run in leaf queues only", queue.name));
}

void check_priority_class(const Cluster& cluster, const Job& job, Warnings& warnings) {
  const auto& classes = cluster.kept().all<PriorityClassObject>();
  if (job.priority_class.empty() || classes.contains(job.priority_class)) return;
  std::vector<std::string_view> known{"train", "build-preemptible", "build", "inference"};
  for (const auto& [name, object] : classes) known.push_back(name);
  warnings.add("PodGroup " + job.full_name(), "spec.priorityClassName",
               fmt::format("PriorityClass \"{}\" is not in these files; priority {} is taken{}",
                           job.priority_class, job.priority, did_you_mean(job.priority_class, known)));
}

// Topologies and levels that a job or sub group names and that do not exist.
void check_topology(const Cluster& cluster, const Job& job, const std::string& field,
                    const TopologyConstraint& constraint, Warnings& warnings) {
  if (constraint.topology.empty()) return;
  const std::string object = "PodGroup " + job.full_name();
  const TopologyTree* tree = cluster.topology(constraint.topology);
  if (tree == nullptr)
    return warnings.add(object, field,
                        fmt::format("topology \"{}\" is not in these files", constraint.topology));
  for (const std::string& level : {constraint.required, constraint.preferred})
    if (!level.empty() && !tree->level(level))
      warnings.add(object, field,
                   fmt::format("topology \"{}\" has no level \"{}\"", constraint.topology, level));
  if (constraint.required.empty() && constraint.preferred.empty())
    warnings.add(object, field,
                 fmt::format("names no level of topology \"{}\": the job can not run", tree->name()));
}

void check_topologies(const Cluster& cluster, const Job& job, Warnings& warnings) {
  check_topology(cluster, job, "spec.topologyConstraint", job.sets[0].topology, warnings);
  for (std::size_t i = 1; i < job.sets.size(); ++i)
    check_topology(cluster, job, "spec.subGroups", job.sets[i].topology, warnings);
  for (const PodSet& set : job.pod_sets)
    check_topology(cluster, job, "spec.subGroups", set.topology, warnings);
}

void check_sub_groups(const Cluster& cluster, const Job& job, Warnings& warnings) {
  std::map<std::string, std::vector<TaskId>> unknown;
  for (TaskId t : job.outsiders) unknown[cluster.task(t).sub_group].push_back(t);
  for (const auto& [name, pods] : unknown) {
    const std::string shown = name.empty() ? "default" : name;
    warnings.add(pod(cluster, pods.front()), kSubGroupField,
                 fmt::format("PodGroup {} has no sub group \"{}\"{}", job.full_name(), shown,
                             and_others(pods.size())));
  }
}

// A pod group that pods name and that has no object.
void check_missing_group(const Cluster& cluster, const Job& job, Warnings& warnings) {
  std::vector<TaskId> pods = job.outsiders;
  for (const PodSet& set : job.pod_sets) pods.insert(pods.end(), set.tasks.begin(), set.tasks.end());
  if (pods.empty()) return;
  pods = sorted_by_name(pods, [&](TaskId t) { return cluster.task(t).full_name(); });
  warnings.add(pod(cluster, pods.front()), kGroupField,
               fmt::format("PodGroup {} is not in these files{}{}", job.full_name(), and_others(pods.size()),
                           nearest_group(cluster, job)));
}

std::int64_t largest(const Cluster& cluster, Kind kind) {
  std::int64_t most = 0;
  for (NodeId n : cluster.nodes_by_name()) most = std::max(most, cluster.allocatable().at(kind, n));
  return most;
}

bool fits_empty(const Cluster& cluster, const Request& request, NodeId n) {
  return std::all_of(request.begin(), request.end(),
                     [&](const Amount& a) { return a.units <= cluster.allocatable().at(a.kind, n); });
}

// Why no node could hold the request even if it were empty, or "".
std::string too_large(const Cluster& cluster, const Request& request) {
  for (const Amount& a : request)
    if (const std::int64_t most = largest(cluster, a.kind); a.units > most)
      return fmt::format(
          "asks for {}; {}", amount_text(cluster, a.kind, a.units),
          most == 0 ? "no node has any" : "the largest node has " + amount_text(cluster, a.kind, most));
  const auto nodes = cluster.nodes_by_name();
  if (std::any_of(nodes.begin(), nodes.end(), [&](NodeId n) { return fits_empty(cluster, request, n); }))
    return "";
  return "is larger than any node: no single one has all it asks for";
}

// One warning per job and shape, at the first pod of it.
void check_sizes(const Cluster& cluster, Warnings& warnings) {
  std::map<std::pair<JobId, ShapeId>, std::vector<TaskId>> alike;
  std::map<ShapeId, std::string> problems;
  for (TaskId t : ids(cluster.tasks())) {
    const Task& task = cluster.task(t);
    if (!task.alive || task.foreign || in(cluster.placement(t).status, kActiveUsed)) continue;
    const auto [problem, is_new] = problems.try_emplace(task.shape);
    if (is_new) problem->second = too_large(cluster, cluster.shape(task.shape).request);
    if (!problem->second.empty()) alike[{task.job, task.shape}].push_back(t);
  }
  for (const auto& [key, pods] : alike)
    warnings.add(pod(cluster, pods.front()), "spec.containers",
                 problems.at(key.second) + and_others(pods.size()));
}

}  // namespace

void check_jobs(const Checked& checked, Warnings& warnings) {
  const Cluster& cluster = checked.cluster;
  for (JobId j : present_jobs(cluster)) {
    check_queue(cluster, cluster.job(j), warnings);
    check_priority_class(cluster, cluster.job(j), warnings);
    check_sub_groups(cluster, cluster.job(j), warnings);
    check_topologies(cluster, cluster.job(j), warnings);
  }
  for (const Job& job : cluster.jobs())
    if (!job.present && job.in_partition) check_missing_group(cluster, job, warnings);
  if (!cluster.nodes_by_name().empty()) check_sizes(cluster, warnings);
}

}  // namespace muster::cli
