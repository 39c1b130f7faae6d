// Finds pods without a job, with an unknown sub group, or larger than any node.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "checks/checks.hpp"
#include "model/reason_text.hpp"
#include "util/suggest.hpp"
#include "util/words.hpp"

namespace muster::checks {
namespace {

constexpr const char* kGroupField = "metadata.annotations.pod-group-name";
constexpr const char* kSubGroupField = "metadata.labels.kai.scheduler/subgroup-name";

std::string pod(const Cluster& cluster, TaskId t) { return "Pod " + cluster.task(t).full_name(); }

// Returns "" for one pod, " (and 7 more pods)" for eight.
std::string and_others(std::size_t pods) {
  return pods == 1 ? "" : fmt::format(" (and {})", counted(pods - 1, "more pod"));
}

std::string nearest_group(const Cluster& cluster, const Job& missing) {
  std::vector<std::string_view> known;
  for (const Job& job : cluster.jobs())
    if (job.present && job.ns == missing.ns) known.push_back(job.name);
  return did_you_mean(missing.name, known);
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

// Finds pod groups that pods name but that have no object.
void check_missing_group(const Checked& checked, const Job& job, Warnings& warnings) {
  const Cluster& cluster = checked.cluster;
  std::vector<TaskId> pods = job.outsiders;
  for (const PodSet& set : job.pod_sets) pods.insert(pods.end(), set.tasks.begin(), set.tasks.end());
  if (pods.empty()) return;
  const auto by_name = [&](TaskId t) { return cluster.task(t).full_name(); };
  warnings.add(pod(cluster, *std::ranges::min_element(pods, {}, by_name)), kGroupField,
               fmt::format("PodGroup {} is not {}{}{}", job.full_name(), checked.where,
                           and_others(pods.size()), nearest_group(cluster, job)));
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

// Returns why no node could hold the request even if it were empty, or "".
std::string too_large(const Cluster& cluster, const Request& request) {
  for (const Amount& a : request)
    if (const std::int64_t most = largest(cluster, a.kind); a.units > most)
      return fmt::format(
          "requests {}; {}", amount_text(cluster, a.kind, a.units),
          most == 0 ? "no node has any" : "the largest node has " + amount_text(cluster, a.kind, most));
  const auto nodes = cluster.nodes_by_name();
  if (std::any_of(nodes.begin(), nodes.end(), [&](NodeId n) { return fits_empty(cluster, request, n); }))
    return "";
  return "does not fit any node: no single node has everything it requests";
}

// Reports each shape of a job once, for its first pod.
void check_shapes(const Cluster& cluster, Warnings& warnings) {
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

void check_members(const Checked& checked, Warnings& warnings) {
  for (const Job& job : checked.cluster.jobs()) {
    if (job.present)
      check_sub_groups(checked.cluster, job, warnings);
    else if (job.in_partition && !job.is_of_one_pod)
      check_missing_group(checked, job, warnings);
  }
}

void check_sizes(const Checked& checked, Warnings& warnings) {
  if (!checked.cluster.nodes_by_name().empty()) check_shapes(checked.cluster, warnings);
}

}  // namespace muster::checks
