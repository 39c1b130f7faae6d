// The table of rules, and the short ones: batch Jobs, JobSets, Knative, AmlJobs; the pods of all other kinds
// are scheduled one by one.
#include "grouper/workload_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "grouper/fields.hpp"
#include "grouper/grouper.hpp"
#include "grouper/rules.hpp"

namespace muster::grouper {

std::optional<std::int64_t> number(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return bounded(value);
}

std::int64_t bounded(std::int64_t count) { return std::min<std::int64_t>(count, INT32_MAX); }

json leaf(const std::string& name, std::int64_t minimum, const json& topology) {
  json group = {{"name", name}, {"minMember", bounded(minimum)}};
  if (topology.is_object() && !topology.empty()) group["topologyConstraint"] = topology;
  return group;
}

static json constraint(const std::string& topology, const std::string& required,
                       const std::string& preferred) {
  json result = json::object();
  if (!topology.empty()) result["topology"] = topology;
  if (!required.empty()) result["requiredTopologyLevel"] = required;
  if (!preferred.empty()) result["preferredTopologyLevel"] = preferred;
  return result;
}

json topology_asked_by(const json& object) {
  return constraint(annotation(object, "kai.scheduler/topology"),
                    annotation(object, "kai.scheduler/topology-required-placement"),
                    annotation(object, "kai.scheduler/topology-preferred-placement"));
}

json segment_topology(const Member& member, const json& worker_template) {
  const auto asked = [&](const char* key) {
    const std::string own = annotation(member.pod, key);
    return own.empty() ? annotation(worker_template, key) : own;
  };
  std::string topology = asked("kai.scheduler/topology");
  if (topology.empty()) topology = annotation(member.workload, "kai.scheduler/topology");
  const std::string required = asked("kai.scheduler/segment-topology-required-placement");
  const std::string preferred = asked("kai.scheduler/segment-topology-preferred-placement");
  const bool is_asked_for = !topology.empty() && !(required.empty() && preferred.empty());
  return is_asked_for ? constraint(topology, required, preferred) : json::object();
}

namespace {

constexpr const char* kBatchMinimum = "kai.scheduler/batch-min-member";

json at_least(std::int64_t pods) { return {{"minMember", bounded(pods)}}; }

Result<json> one_pod(const Member&) { return at_least(1); }
std::string no_sub_group(const Member&) { return ""; }

// ---------------------------------------------------------------- batch

Result<json> batch_shape(const Member& member) {
  const std::string minimum = annotation(member.workload, kBatchMinimum);
  const bool is_of_cron_job = text_at(member.workload, "/metadata/ownerReferences/0/kind") == "CronJob";
  if (minimum.empty() || is_of_cron_job) return at_least(1);
  const auto minimum_pods = number(minimum);
  if (!minimum_pods)
    return Error{fmt::format("annotation {}: \"{}\" is not a whole number", kBatchMinimum, minimum)};
  return at_least(*minimum_pods);
}

// ---------------------------------------------------------------- JobSet

std::int64_t pods_of(const json& replicated) {
  const json& job = at(replicated, "/template");
  if (const auto minimum = number(annotation(job, kBatchMinimum))) return *minimum;
  return count_at(job, "/spec/parallelism").value_or(1);
}

// Adds a replicated Job and a leaf for each of its replicas.
void add_replicas(json& groups, const json& job, std::int64_t replicas) {
  const std::string name = text_at(job, "/name");
  groups.push_back({{"name", name}, {"minSubGroup", replicas}});
  for (std::int64_t i = 0; i < replicas; ++i)
    groups.push_back(
        {{"name", fmt::format("{}-replica-{}", name, i)}, {"parent", name}, {"minMember", pods_of(job)}});
}

Result<json> job_set_shape(const Member& member) {
  const json& jobs = at(member.workload, "/spec/replicatedJobs");
  if (!jobs.is_array() || jobs.empty()) return Error{"spec.replicatedJobs: is missing"};
  json groups = json::array();
  for (const json& job : jobs) {
    const std::int64_t replicas = count_at(job, "/replicas").value_or(1);
    if (replicas > kMostSubGroups - static_cast<std::int64_t>(groups.size()))
      return Error{"spec.replicatedJobs: more than 10000 replicas"};
    if (replicas > 0) add_replicas(groups, job, replicas);
  }
  const auto all = static_cast<std::int64_t>(jobs.size());
  const bool in_order = text_at(member.workload, "/spec/startupPolicy/startupPolicyOrder") == "InOrder";
  const std::int64_t needed =
      std::min(all, number(annotation(member.workload, kBatchMinimum)).value_or(in_order ? 1 : all));
  return json{{"minSubGroup", needed}, {"subGroups", groups}};
}

std::string job_set_replica(const Member& member) {
  return fmt::format("{}-replica-{}", label(member.pod, "jobset.sigs.k8s.io/replicatedjob-name"),
                     number(label(member.pod, "jobset.sigs.k8s.io/job-index")).value_or(0));
}

// ---------------------------------------------------------------- Knative, AzureML

const json* revision_of(const Member& member) {
  for (const json& owner : member.owners)
    if (text_at(owner, "/kind") == "Revision") return &owner;
  return nullptr;
}

// Pods of one revision share a group; if the revision is unknown, those of the Service do.
Result<const json*> knative_subject(const Member& member) {
  const json* const revision = revision_of(member);
  return revision != nullptr ? revision : &member.workload;
}

Result<json> knative_shape(const Member& member) {
  const json* const revision = revision_of(member);
  const json& described = revision != nullptr ? *revision : at(member.workload, "/spec/template");
  return at_least(number(annotation(described, "autoscaling.knative.dev/min-scale")).value_or(1));
}

Result<json> aml_shape(const Member& member) {
  const auto nodes = count_at(member.workload, "/spec/job/options/envs/AZUREML_NODE_COUNT");
  if (!nodes) return Error{"spec.job.options.envs.AZUREML_NODE_COUNT: is missing"};
  return at_least(*nodes);
}

// ---------------------------------------------------------------- Spark

// The driver creates the executors itself. Labels distinguish both from other pods.
std::string spark_name(const Member& member, const std::string& usual) {
  const std::string selector = label(member.pod, "spark-app-selector");
  return selector.empty() || label(member.pod, "spark-app-name").empty() ? usual : selector;
}

// ---------------------------------------------------------------- RunaiJob

// Pods whose names differ only in their last part belong together.
std::string runai_name(const Member& member, const std::string&) {
  const std::string pod = text_at(member.pod, "/metadata/name");
  return group_name(pod.substr(0, pod.rfind('-')), text_at(member.workload, "/metadata/uid"));
}

// ---------------------------------------------------------------- the table

constexpr WorkloadRule kDefaultRule{.group = "", .kind = "", .shape = &one_pod, .sub_group = &no_sub_group};

constexpr WorkloadRule in_class(const char* group, const char* kind, const char* priority_class) {
  return {.group = group,
          .kind = kind,
          .priority_class = priority_class,
          .shape = &one_pod,
          .sub_group = &no_sub_group};
}

constexpr WorkloadRule gang(const char* group, const char* kind, Result<json> (*shape)(const Member&),
                            std::string (*sub_group)(const Member&) = &no_sub_group) {
  return {.group = group, .kind = kind, .shape = shape, .sub_group = sub_group};
}

constexpr WorkloadRule ray(const char* kind) {
  return {.group = "ray.io",
          .kind = kind,
          .shape = &ray_shape,
          .sub_group = &ray_sub_group,
          .own_class = &ray_class};
}

constexpr WorkloadRule grove(const char* kind) {
  return {.group = "grove.io",
          .kind = kind,
          .sharing = Sharing::kReplica,
          .shape = &grove_shape,
          .sub_group = &grove_sub_group,
          .subject = &grove_subject,
          .own_class = &grove_class,
          .related = &grove_gang};
}

constexpr std::array kRules{
    WorkloadRule{
        .group = "", .kind = "Pod", .shape = &one_pod, .sub_group = &no_sub_group, .name = &spark_name},
    WorkloadRule{.group = "apps",
                 .kind = "Deployment",
                 .priority_class = "inference",
                 .sharing = Sharing::kPod,
                 .shape = &one_pod,
                 .sub_group = &no_sub_group},
    gang("batch", "Job", &batch_shape),
    gang("kubeflow.org", "PyTorchJob", &pytorch_shape, &pytorch_role),
    gang("kubeflow.org", "TFJob", &tensorflow_shape),
    gang("kubeflow.org", "XGBoostJob", &xgboost_shape),
    gang("kubeflow.org", "JAXJob", &jax_shape),
    WorkloadRule{.group = "kubeflow.org",
                 .kind = "MPIJob",
                 .shape = &mpi_shape,
                 .sub_group = &no_sub_group,
                 .related = &mpi_launchers},
    gang("jobset.x-k8s.io", "JobSet", &job_set_shape, &job_set_replica),
    WorkloadRule{.group = "leaderworkerset.x-k8s.io",
                 .kind = "LeaderWorkerSet",
                 .sharing = Sharing::kReplica,
                 .shape = &leader_worker_shape,
                 .sub_group = &leader_worker_sub_group,
                 .name = &leader_worker_name},
    ray("RayCluster"),
    ray("RayJob"),
    ray("RayService"),
    grove("PodCliqueSet"),
    grove("PodGangSet"),
    WorkloadRule{.group = "run.ai",
                 .kind = "RunaiJob",
                 .sharing = Sharing::kReplica,
                 .shape = &one_pod,
                 .sub_group = &no_sub_group,
                 .name = &runai_name},
    in_class("kubeflow.org", "Notebook", "build"),
    in_class("egx.nvidia.io", "SPOTRequest", "inference"),
    gang("amlarc.azureml.com", "AmlJob", &aml_shape),
    WorkloadRule{.group = "serving.knative.dev",
                 .kind = "Service",
                 .priority_class = "inference",
                 .sharing = Sharing::kReplica,
                 .shape = &knative_shape,
                 .sub_group = &no_sub_group,
                 .subject = &knative_subject},
};

struct Type {
  std::string_view group, kind;
};
constexpr Type kLookedThrough[] = {{"argoproj.io", "Workflow"},
                                   {"trainer.kubeflow.org", "TrainJob"},
                                   {"nvidia.com", "DynamoGraphDeployment"},
                                   {"sparkoperator.k8s.io", "SparkApplication"},
                                   {"run.ai", "TrainingWorkload"},
                                   {"run.ai", "InteractiveWorkload"},
                                   {"run.ai", "DistributedWorkload"},
                                   {"run.ai", "InferenceWorkload"},
                                   {"run.ai", "DistributedInferenceWorkload"},
                                   {"batch", "CronJob"}};

}  // namespace

const WorkloadRule& rule_for(const json& workload) {
  const std::string group = api_group_of(text_at(workload, "/apiVersion")), kind = text_at(workload, "/kind");
  const auto* const found = std::ranges::find_if(
      kRules, [&](const WorkloadRule& rule) { return rule.group == group && rule.kind == kind; });
  return found == kRules.end() ? kDefaultRule : *found;
}

bool is_looked_through(const json& workload) {
  const std::string group = api_group_of(text_at(workload, "/apiVersion")), kind = text_at(workload, "/kind");
  return std::ranges::any_of(kLookedThrough,
                             [&](const Type& type) { return type.group == group && type.kind == kind; });
}

bool asks_all_owners(const WorkloadRule& rule) { return &rule == &kDefaultRule || rule.kind == "Pod"; }

}  // namespace muster::grouper
