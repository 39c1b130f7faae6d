// Kubeflow's training jobs: all replicas start together, unless a minimum is set.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "grouper/fields.hpp"
#include "grouper/rules.hpp"

namespace muster::grouper {
namespace {

constexpr const char* kMinAvailable = "/spec/runPolicy/schedulingPolicy/minAvailable";
constexpr const char* kSegmentSize = "kai.scheduler/segment-size";

// ---------------------------------------------------------------- jobs without sub groups

struct ReplicaSpecs {
  const char* name;                              // of the field below spec
  std::initializer_list<const char*> must_have;  // roles
};

// The operators default to one replica.
Result<std::int64_t> all_replicas(const json& job, const ReplicaSpecs& replica_specs) {
  const json& specs = at(job, "/spec");
  if (!specs.is_object() || !specs.contains(replica_specs.name) || !specs.at(replica_specs.name).is_object())
    return Error{fmt::format("spec.{}: is missing", replica_specs.name)};
  const json& roles = specs.at(replica_specs.name);
  for (const char* role : replica_specs.must_have)
    if (!roles.contains(role)) return Error{fmt::format("spec.{}.{}: is missing", replica_specs.name, role)};
  std::int64_t total = 0;
  for (const auto& [role, spec] : roles.items()) {
    const json& replicas = at(spec, "/replicas");
    const auto count = replicas.is_null() ? std::optional<std::int64_t>(1) : count_at(spec, "/replicas");
    if (!count || *count == 0)
      return Error{fmt::format("spec.{}.{}.replicas: must be at least 1", replica_specs.name, role)};
    total = bounded(total + bounded(*count));
  }
  if (total == 0) return Error{fmt::format("spec.{}: has no replicas", replica_specs.name)};
  return total;
}

Result<json> whole_job(const json& job, const ReplicaSpecs& specs) {
  if (const auto minimum = count_at(job, kMinAvailable)) return json{{"minMember", bounded(*minimum)}};
  const auto total = all_replicas(job, specs);
  if (!total) return total.error();
  return json{{"minMember", *total}};
}

// ---------------------------------------------------------------- PyTorchJob

std::int64_t replicas_of_role(const json& job, const char* role) {
  const json& spec = at(job, "/spec/pytorchReplicaSpecs");
  if (!spec.is_object() || !spec.contains(role)) return 0;
  return bounded(count_at(spec.at(role), "/replicas").value_or(1));
}

const json& worker_template_of(const json& job) {
  return at(job, "/spec/pytorchReplicaSpecs/Worker/template");
}

std::int64_t segment_size_of(const Member& member) {
  const std::string text = annotation(worker_template_of(member.workload), kSegmentSize);
  return number(text.empty() ? annotation(member.pod, kSegmentSize) : text).value_or(0);
}

// Adds the workers in blocks: "worker" needs as many blocks as the minimum fills; further blocks are
// optional.
void add_worker_segments(json& groups, std::int64_t workers, std::int64_t needed, std::int64_t size,
                         const json& topology) {
  const std::int64_t segments = (workers + size - 1) / size, needed_segments = (needed + size - 1) / size;
  groups.push_back({{"name", "worker"}, {"minSubGroup", std::max<std::int64_t>(needed_segments, 1)}});
  for (std::int64_t i = 0; i < segments; ++i) {
    groups.push_back(leaf(fmt::format("worker-{}", i),
                          i < needed_segments ? std::min(size, workers - i * size) : 0, topology));
    groups.back()["parent"] = "worker";
  }
}

}  // namespace

Result<json> pytorch_shape(const Member& member) {
  const json& job = member.workload;
  const std::int64_t masters = replicas_of_role(job, "Master"), workers = replicas_of_role(job, "Worker");
  if (masters + workers == 0) return Error{"spec.pytorchReplicaSpecs: has no replicas"};
  auto minimum = count_at(job, kMinAvailable);
  if (!minimum) minimum = count_at(job, "/spec/elasticPolicy/minReplicas");
  const std::int64_t total = minimum.value_or(masters + workers);
  const std::int64_t needed_workers = std::clamp<std::int64_t>(total - masters, 0, workers);
  const std::int64_t size = segment_size_of(member);
  if (size > 0 && workers / size > kMostSubGroups) return Error{"more than 10000 segments"};
  json groups = json::array();
  if (masters > 0) groups.push_back(leaf("master", masters));
  if (workers > 0 && size > 0)
    add_worker_segments(groups, workers, needed_workers, size,
                        segment_topology(member, worker_template_of(job)));
  else if (workers > 0)
    groups.push_back(leaf("worker", needed_workers));
  const int roles = (masters > 0 ? 1 : 0) + (workers > 0 ? 1 : 0);
  return json{{"minSubGroup", roles}, {"subGroups", groups}};
}

std::string pytorch_role(const Member& member) {
  if (label(member.pod, "training.kubeflow.org/replica-type") == "master" ||
      label(member.pod, "training.kubeflow.org/job-role") == "master")
    return "master";
  const std::int64_t size = segment_size_of(member);
  if (size == 0) return "worker";
  const std::int64_t index = number(label(member.pod, "training.kubeflow.org/replica-index")).value_or(0);
  return fmt::format("worker-{}", index / size);
}

Result<json> tensorflow_shape(const Member& member) {
  return whole_job(member.workload, {"tfReplicaSpecs", {}});
}

Result<json> xgboost_shape(const Member& member) {
  return whole_job(member.workload, {"xgbReplicaSpecs", {"Master", "Worker"}});
}

Result<json> jax_shape(const Member& member) {
  return whole_job(member.workload, {"jaxReplicaSpecs", {"Worker"}});
}

// Workers cannot wait for a launcher that is created after them.
Result<json> mpi_shape(const Member& member) {
  auto shape = whole_job(member.workload, {"mpiReplicaSpecs", {"Launcher", "Worker"}});
  const json& launchers = at(member.related, "/items");
  if (!shape || !launchers.is_array() || !mpi_launchers(member)) return shape;
  const bool has_launcher = std::ranges::any_of(
      launchers, [](const json& pod) { return text_at(pod, "/metadata/deletionTimestamp").empty(); });
  const std::int64_t late = count_at(member.workload, "/spec/mpiReplicaSpecs/Launcher/replicas").value_or(1);
  const auto all = (*shape)["minMember"].get<std::int64_t>();
  if (!has_launcher) (*shape)["minMember"] = std::max<std::int64_t>(all - late, 0);
  return shape;
}

std::optional<Related> mpi_launchers(const Member& member) {
  const bool is_late = text_at(member.workload, "/spec/launcherCreationPolicy") == "WaitForWorkersReady";
  const bool is_one = label(member.pod, "training.kubeflow.org/job-role") == "launcher";
  if (!is_late || is_one) return std::nullopt;
  return Related{.api_version = "v1",
                 .kind = "Pod",
                 .name = "",
                 .labels = {{"training.kubeflow.org/job-name", text_at(member.workload, "/metadata/name")},
                            {"training.kubeflow.org/job-role", "launcher"}}};
}

}  // namespace muster::grouper
