// The rules: batch jobs, PyTorchJobs and JobSets in shapes of their own, all others one pod at a time.
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
constexpr std::int64_t kMostSegments = 10'000;

std::optional<std::int64_t> number(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return std::min<std::int64_t>(value, INT32_MAX);  // the API has no more
}

Result<GroupShape> one_pod(const json&, const json&) { return GroupShape{}; }

// ---------------------------------------------------------------- batch

Result<GroupShape> batch_job(const json& job, const json&) {
  const std::string minimum = annotation(job, kBatchMinimum);
  const bool is_of_cron_job = text_at(job, "/metadata/ownerReferences/0/kind") == "CronJob";
  if (minimum.empty() || is_of_cron_job) return GroupShape{};
  const auto wanted = number(minimum);
  if (!wanted) return Error{fmt::format("annotation {}: \"{}\" is no count", kBatchMinimum, minimum)};
  return GroupShape{.spec = {{"minMember", *wanted}}};
}

// ---------------------------------------------------------------- PyTorchJob

std::int64_t replicas_of(const json& job, const char* role) {
  const json& spec = at(job, "/spec/pytorchReplicaSpecs");
  if (!spec.is_object() || !spec.contains(role)) return 0;
  return count_at(spec.at(role), "/replicas").value_or(1);
}

std::int64_t segment_size_of(const json& job, const json& pod) {
  const json& worker = at(job, "/spec/pytorchReplicaSpecs/Worker/template");
  const std::string text = annotation(worker, kSegmentSize);
  return number(text.empty() ? annotation(pod, kSegmentSize) : text).value_or(0);
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

Result<GroupShape> pytorch_job(const json& job, const json& pod) {
  const std::int64_t masters = replicas_of(job, "Master"), workers = replicas_of(job, "Worker");
  if (masters + workers == 0) return Error{"spec.pytorchReplicaSpecs: has no replicas"};
  auto minimum = count_at(job, "/spec/runPolicy/schedulingPolicy/minAvailable");
  if (!minimum) minimum = count_at(job, "/spec/elasticPolicy/minReplicas");
  const std::int64_t total = minimum.value_or(masters + workers);
  const std::int64_t needed_workers = std::clamp<std::int64_t>(total - masters, 0, workers);
  const std::int64_t size = segment_size_of(job, pod);
  if (size > 0 && workers / size > kMostSegments) return Error{"more than 10000 segments"};
  const bool is_master = label(pod, "training.kubeflow.org/replica-type") == "master" ||
                         label(pod, "training.kubeflow.org/job-role") == "master";
  json groups = json::array();
  if (masters > 0) groups.push_back({{"name", "master"}, {"minMember", masters}});
  if (workers > 0 && size > 0)
    add_segments(groups, workers, needed_workers, size);
  else if (workers > 0)
    groups.push_back({{"name", "worker"}, {"minMember", needed_workers}});
  std::string own = is_master ? "master" : "worker";
  if (!is_master && size > 0)
    own = fmt::format("worker-{}",
                      number(label(pod, "training.kubeflow.org/replica-index")).value_or(0) / size);
  const int roles = (masters > 0 ? 1 : 0) + (workers > 0 ? 1 : 0);
  return GroupShape{.spec = {{"minSubGroup", roles}, {"subGroups", groups}}, .sub_group = own};
}

// ---------------------------------------------------------------- JobSet

std::int64_t pods_of(const json& replicated) {
  const json& job = at(replicated, "/template");
  if (const auto minimum = number(annotation(job, kBatchMinimum))) return *minimum;
  return count_at(job, "/spec/parallelism").value_or(1);
}

Result<GroupShape> job_set(const json& set, const json& pod) {
  const json& jobs = at(set, "/spec/replicatedJobs");
  if (!jobs.is_array() || jobs.empty()) return Error{"spec.replicatedJobs: is missing"};
  json groups = json::array();
  for (const json& job : jobs) {
    const std::string name = text_at(job, "/name");
    const std::int64_t replicas = count_at(job, "/replicas").value_or(1);
    if (replicas == 0) continue;
    if (replicas > kMostSegments - static_cast<std::int64_t>(groups.size()))
      return Error{"spec.replicatedJobs: more than 10000 replicas"};
    groups.push_back({{"name", name}, {"minSubGroup", replicas}});
    for (std::int64_t i = 0; i < replicas; ++i)
      groups.push_back(
          {{"name", fmt::format("{}-replica-{}", name, i)}, {"parent", name}, {"minMember", pods_of(job)}});
  }
  const auto all = static_cast<std::int64_t>(jobs.size());
  const bool in_order = text_at(set, "/spec/startupPolicy/startupPolicyOrder") == "InOrder";
  const std::int64_t needed =
      std::min(all, number(annotation(set, kBatchMinimum)).value_or(in_order ? 1 : all));
  return GroupShape{
      .spec = {{"minSubGroup", needed}, {"subGroups", groups}},
      .sub_group = fmt::format("{}-replica-{}", label(pod, "jobset.sigs.k8s.io/replicatedjob-name"),
                               number(label(pod, "jobset.sigs.k8s.io/job-index")).value_or(0))};
}

// ---------------------------------------------------------------- the table

constexpr WorkloadRule kDefaultRule{"", "", "train", false, &one_pod};

constexpr std::array<WorkloadRule, 6> kRules{{
    {"apps", "Deployment", "inference", true, &one_pod},
    {"batch", "Job", "train", false, &batch_job},
    {"kubeflow.org", "PyTorchJob", "train", false, &pytorch_job},
    {"jobset.x-k8s.io", "JobSet", "train", false, &job_set},
    {"kubeflow.org", "Notebook", "build", false, &one_pod},
    {"serving.knative.dev", "Service", "inference", false, &one_pod},
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
