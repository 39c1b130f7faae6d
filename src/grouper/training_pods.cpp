// The pods of each role in Kubeflow's training jobs, with the names and labels that its operators use.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "grouper/fields.hpp"
#include "grouper/pod_parts.hpp"

namespace muster::grouper {
namespace {

constexpr const char* kReplicaSpecs[] = {"pytorchReplicaSpecs", "tfReplicaSpecs", "xgbReplicaSpecs",
                                         "jaxReplicaSpecs", "mpiReplicaSpecs"};

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

json labels_of_role(const json& job, const std::string& role) {
  json labels = {{"training.kubeflow.org/job-name", workload_name(job)},
                 {"training.kubeflow.org/replica-type", role}};
  if (role == "master" || role == "launcher") labels["training.kubeflow.org/job-role"] = role;
  return labels;
}

Part part_of_role(const json& job, const std::string& above, const std::string& role, const json& spec) {
  return {.template_path = dotted(above) + ".template",
          .pod_template = &at(spec, "/template"),
          .prefix = fmt::format("{}-{}-", workload_name(job), role),
          .has_identities = true,
          .labels = labels_of_role(job, role),
          .index_label = "training.kubeflow.org/replica-index",
          .is_only_one = false};
}

}  // namespace

Result<Wanted> training_job_pods(const json& job, const Present&) {
  if (is_true(job, "/spec/runPolicy/suspend")) return none("suspended");
  if (has_condition(job, {"Succeeded", "Failed"})) return none("already finished");
  Wanted wanted;
  std::int64_t total = 0;
  const json& spec = at(job, "/spec");
  for (const char* field : kReplicaSpecs) {
    if (!spec.is_object() || !spec.contains(field) || !spec.at(field).is_object()) continue;
    for (const auto& [key, of_role] : spec.at(field).items()) {
      const std::string above = fmt::format("/spec/{}/{}", field, key);
      if (!of_role.is_object()) continue;
      const auto replicas = given_count(of_role, "/replicas", above);
      if (!replicas) return replicas.error();
      Part part = part_of_role(job, above, lower_case(key), of_role);
      part.count = replicas->value_or(1);
      if (part.count > kMostPods - total) return too_many(above + "/replicas", part.count);
      total += part.count;
      wanted.parts.push_back(std::move(part));
    }
  }
  return wanted;
}

}  // namespace muster::grouper
