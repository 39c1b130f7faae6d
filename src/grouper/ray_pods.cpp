// Pods of Ray clusters, including those of RayJobs and RayServices: a head, and the workers of each group.
#include <fmt/format.h>

#include <algorithm>

#include "grouper/fields.hpp"
#include "grouper/pod_parts.hpp"

namespace muster::grouper {
namespace {

struct RaySpec {
  const json* spec;
  std::string path;
};

RaySpec ray_spec(const json& workload) {
  const std::string kind = text_at(workload, "/kind");
  const std::string path = kind == "RayCluster" ? "/spec"
                           : kind == "RayJob"   ? "/spec/rayClusterSpec"
                                                : "/spec/rayClusterConfig";
  return {&at(workload, path.c_str()), path};
}

Part ray_part(const json& workload, const json& group, const std::string& path, const std::string& name) {
  const bool is_head = name == "headgroup";
  return {.template_path = dotted(path) + ".template",
          .pod_template = &at(group, "/template"),
          .prefix = fmt::format("{}-{}-", workload_name(workload), is_head ? "head" : name + "-worker"),
          .labels = {{"ray.io/cluster", workload_name(workload)},
                     {"ray.io/group", name},
                     {"ray.io/node-type", is_head ? "head" : "worker"}},
          .is_only_one = false};
}

// Newer operators give the head a name without a number.
bool has_named_head(const json& workload, const Present& present) {
  return std::ranges::any_of(present, [&](const PresentPod& pod) {
    return !pod.has_ended && pod.name == workload_name(workload) + "-head";
  });
}

// The operator keeps the replicas between the minimum and the maximum.
Result<std::int64_t> workers_in(const json& group, const std::string& path) {
  if (is_true(group, "/suspend")) return 0;
  std::int64_t counts[4] = {0, 0, INT32_MAX, 1};
  constexpr const char* kFields[4] = {"/replicas", "/minReplicas", "/maxReplicas", "/numOfHosts"};
  for (int i = 0; i < 4; ++i) {
    const auto given = given_count(group, kFields[i], path);
    if (!given) return given.error();
    if (*given) counts[i] = **given;
  }
  const auto& [requested, least, most, hosts] = counts;
  const std::int64_t replicas = std::max(std::min(requested, most), least);
  if (hosts > kMostPods || replicas > kMostPods)
    return too_many(path + "/replicas", std::max(hosts, replicas));
  return replicas * hosts;
}

}  // namespace

Result<Wanted> ray_pods(const json& workload, const Present& present) {
  if (is_true(workload, "/spec/suspend")) return none("suspended");
  const std::string state = text_at(workload, "/status/jobDeploymentStatus");
  if (state == "Complete" || state == "Failed") return none("already finished");
  const auto [spec, above] = ray_spec(workload);
  if (!spec->is_object()) return none("runs on the cluster of another object");
  Wanted wanted;
  wanted.parts.push_back(
      ray_part(workload, at(*spec, "/headGroupSpec"), above + "/headGroupSpec", "headgroup"));
  wanted.parts.front().count = has_named_head(workload, present) ? 0 : 1;
  const json& groups = at(*spec, "/workerGroupSpecs");
  std::int64_t total = 1;
  for (std::size_t i = 0; groups.is_array() && i < groups.size(); ++i) {
    const std::string path = fmt::format("{}/workerGroupSpecs[{}]", above, i);
    const std::string name = text_at(groups[i], "/groupName");
    Part part = ray_part(workload, groups[i], path, name.empty() ? fmt::format("worker-group-{}", i) : name);
    const auto count = workers_in(groups[i], path);
    if (!count) return count.error();
    part.count = *count;
    total += part.count;
    if (total > kMostPods) return too_many(path + "/replicas", total);
    wanted.parts.push_back(std::move(part));
  }
  return wanted;
}

}  // namespace muster::grouper
