// The rules: batch jobs, PyTorchJobs, JobSets and RayClusters in shapes of their own, all others one pod at a
// time.
#include "grouper/workload_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "grouper/fields.hpp"

namespace muster::grouper {
namespace {

constexpr const char* kBatchMinimum = "kai.scheduler/batch-min-member";
constexpr const char* kSegmentSize = "kai.scheduler/segment-size";
constexpr std::int64_t kMostSubGroups = 10'000;

std::optional<std::int64_t> number(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return std::min<std::int64_t>(value, INT32_MAX);  // the API has no more
}

Result<json> one_pod(const json&, const json&) { return json{{"minMember", 1}}; }
std::string no_sub_group(const json&, const json&) { return ""; }

// ---------------------------------------------------------------- batch

Result<json> batch_job(const json& job, const json& pod) {
  const std::string minimum = annotation(job, kBatchMinimum);
  const bool is_of_cron_job = text_at(job, "/metadata/ownerReferences/0/kind") == "CronJob";
  if (minimum.empty() || is_of_cron_job) return one_pod(job, pod);
  const auto wanted = number(minimum);
  if (!wanted) return Error{fmt::format("annotation {}: \"{}\" is no count", kBatchMinimum, minimum)};
  return json{{"minMember", *wanted}};
}

// ---------------------------------------------------------------- PyTorchJob

std::int64_t replicas_of(const json& job, const char* role) {
  const json& spec = at(job, "/spec/pytorchReplicaSpecs");
  if (!spec.is_object() || !spec.contains(role)) return 0;
  return std::min<std::int64_t>(count_at(spec.at(role), "/replicas").value_or(1), INT32_MAX);
}

std::int64_t segment_size_of(const json& job, const json& pod) {
  const json& worker = at(job, "/spec/pytorchReplicaSpecs/Worker/template");
  const std::string text = annotation(worker, kSegmentSize);
  const auto size = number(text.empty() ? annotation(pod, kSegmentSize) : text);
  return std::min<std::int64_t>(size.value_or(0), INT32_MAX);
}

// Workers in blocks: "worker" needs as many blocks as the minimum fills, further ones may come and go.
void add_segments(json& groups, std::int64_t workers, std::int64_t needed, std::int64_t size) {
  const std::int64_t segments = (workers + size - 1) / size, needed_segments = (needed + size - 1) / size;
  groups.push_back({{"name", "worker"}, {"minSubGroup", std::max<std::int64_t>(needed_segments, 1)}});
  for (std::int64_t i = 0; i < segments; ++i)
    groups.push_back({{"name", fmt::format("worker-{}", i)},
                      {"parent", "worker"},
                      {"minMember", i < needed_segments ? std::min(size, workers - i * size) : 0}});
}

Result<json> pytorch_shape(const json& job, const json& pod) {
  const std::int64_t masters = replicas_of(job, "Master"), workers = replicas_of(job, "Worker");
  if (masters + workers == 0) return Error{"spec.pytorchReplicaSpecs: has no replicas"};
  auto minimum = count_at(job, "/spec/runPolicy/schedulingPolicy/minAvailable");
  if (!minimum) minimum = count_at(job, "/spec/elasticPolicy/minReplicas");
  const std::int64_t total = minimum.value_or(masters + workers);
  const std::int64_t needed_workers = std::clamp<std::int64_t>(total - masters, 0, workers);
  const std::int64_t size = segment_size_of(job, pod);
  if (size > 0 && workers / size > kMostSubGroups) return Error{"more than 10000 segments"};
  json groups = json::array();
  if (masters > 0) groups.push_back({{"name", "master"}, {"minMember", masters}});
  if (workers > 0 && size > 0)
    add_segments(groups, workers, needed_workers, size);
  else if (workers > 0)
    groups.push_back({{"name", "worker"}, {"minMember", needed_workers}});
  const int roles = (masters > 0 ? 1 : 0) + (workers > 0 ? 1 : 0);
  return json{{"minSubGroup", roles}, {"subGroups", groups}};
}

std::string pytorch_role(const json& job, const json& pod) {
  if (label(pod, "training.kubeflow.org/replica-type") == "master" ||
      label(pod, "training.kubeflow.org/job-role") == "master")
    return "master";
  const std::int64_t size = segment_size_of(job, pod);
  if (size == 0) return "worker";
  const std::int64_t index = number(label(pod, "training.kubeflow.org/replica-index")).value_or(0);
  return fmt::format("worker-{}", index / size);
}

// ---------------------------------------------------------------- JobSet

std::int64_t pods_of(const json& replicated) {
  const json& job = at(replicated, "/template");
  if (const auto minimum = number(annotation(job, kBatchMinimum))) return *minimum;
  return count_at(job, "/spec/parallelism").value_or(1);
}

// A replicated Job and a leaf for each replica of it.
void add_replicated_job(json& groups, const json& job, std::int64_t replicas) {
  const std::string name = text_at(job, "/name");
  groups.push_back({{"name", name}, {"minSubGroup", replicas}});
  for (std::int64_t i = 0; i < replicas; ++i)
    groups.push_back(
        {{"name", fmt::format("{}-replica-{}", name, i)}, {"parent", name}, {"minMember", pods_of(job)}});
}

Result<json> job_set_shape(const json& set, const json&) {
  const json& jobs = at(set, "/spec/replicatedJobs");
  if (!jobs.is_array() || jobs.empty()) return Error{"spec.replicatedJobs: is missing"};
  json groups = json::array();
  for (const json& job : jobs) {
    const std::int64_t replicas = count_at(job, "/replicas").value_or(1);
    if (replicas > kMostSubGroups - static_cast<std::int64_t>(groups.size()))
      return Error{"spec.replicatedJobs: more than 10000 replicas"};
    if (replicas > 0) add_replicated_job(groups, job, replicas);
  }
  const auto all = static_cast<std::int64_t>(jobs.size());
  const bool in_order = text_at(set, "/spec/startupPolicy/startupPolicyOrder") == "InOrder";
  const std::int64_t needed =
      std::min(all, number(annotation(set, kBatchMinimum)).value_or(in_order ? 1 : all));
  return json{{"minSubGroup", needed}, {"subGroups", groups}};
}

std::string job_set_replica(const json&, const json& pod) {
  return fmt::format("{}-replica-{}", label(pod, "jobset.sigs.k8s.io/replicatedjob-name"),
                     number(label(pod, "jobset.sigs.k8s.io/job-index")).value_or(0));
}

// ---------------------------------------------------------------- RayCluster

// A group that is suspended or has no replicas is left out.
Result<json> ray_shape(const json& cluster, const json&) {
  json groups = json::array({{{"name", kRayHead}, {"minMember", 1}}});
  const json& workers = at(cluster, "/spec/workerGroupSpecs");
  for (std::size_t i = 0; workers.is_array() && i < workers.size(); ++i) {
    const json& group = workers[i];
    const std::int64_t replicas = count_at(group, "/replicas").value_or(0);
    const std::int64_t least = count_at(group, "/minReplicas").value_or(0);
    if (at(group, "/suspend") == true || replicas == 0) continue;
    if (least > replicas)
      return Error{fmt::format("spec.workerGroupSpecs[{}]: {} replicas are less than minReplicas, {}", i,
                               replicas, least)};
    const std::int64_t hosts = std::max<std::int64_t>(count_at(group, "/numOfHosts").value_or(1), 1);
    const std::int64_t needed = least > 0 ? least : replicas;
    if (needed > INT32_MAX / hosts) return Error{"spec.workerGroupSpecs: more pods than can be counted"};
    groups.push_back({{"name", ray_worker_group(group, i)}, {"minMember", needed * hosts}});
  }
  return json{{"minSubGroup", groups.size()}, {"subGroups", groups}};
}

std::string ray_group(const json&, const json& pod) { return label(pod, "ray.io/group"); }

// ---------------------------------------------------------------- the table

constexpr WorkloadRule kDefaultRule{"", "", "train", false, &one_pod, &no_sub_group};

constexpr std::array<WorkloadRule, 7> kRules{{
    {"apps", "Deployment", "inference", true, &one_pod, &no_sub_group},
    {"batch", "Job", "train", false, &batch_job, &no_sub_group},
    {"kubeflow.org", "PyTorchJob", "train", false, &pytorch_shape, &pytorch_role},
    {"jobset.x-k8s.io", "JobSet", "train", false, &job_set_shape, &job_set_replica},
    {"kubeflow.org", "Notebook", "build", false, &one_pod, &no_sub_group},
    {"ray.io", "RayCluster", "train", false, &ray_shape, &ray_group},
    {"serving.knative.dev", "Service", "inference", false, &one_pod, &no_sub_group},
}};

struct Type {
  std::string_view group, kind;
};
constexpr std::array<Type, 4> kLookedThrough{{{"argoproj.io", "Workflow"},
                                              {"trainer.kubeflow.org", "TrainJob"},
                                              {"nvidia.com", "DynamoGraphDeployment"},
                                              {"batch", "CronJob"}}};

std::string group_of(const json& workload) {
  const std::string version = text_at(workload, "/apiVersion");
  const std::size_t slash = version.find('/');
  return slash == std::string::npos ? "" : version.substr(0, slash);
}

}  // namespace

std::string ray_worker_group(const json& group, std::size_t number) {
  std::string name = text_at(group, "/groupName");
  return name.empty() ? fmt::format("worker-group-{}", number) : name;
}

const WorkloadRule& rule_for(const json& workload) {
  const std::string group = group_of(workload), kind = text_at(workload, "/kind");
  const auto found = std::ranges::find_if(
      kRules, [&](const WorkloadRule& rule) { return rule.group == group && rule.kind == kind; });
  return found == kRules.end() ? kDefaultRule : *found;
}

bool is_looked_through(const json& workload) {
  const std::string group = group_of(workload), kind = text_at(workload, "/kind");
  return std::ranges::any_of(kLookedThrough,
                             [&](const Type& type) { return type.group == group && type.kind == kind; });
}

bool asks_all_owners(const WorkloadRule& rule) { return &rule == &kDefaultRule; }

}  // namespace muster::grouper
