// For each kind: how many pods, from which template, with which names and labels.
#include "grouper/workload_pods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string_view>

#include "grouper/fields.hpp"
#include "grouper/pod_parts.hpp"

namespace muster::grouper {
namespace {

// ---------------------------------------------------------------- sets of replicas

Result<Wanted> replicas(const json& workload, const Present&) {
  const auto count = given_count(workload, "/spec/replicas");
  if (!count) return count.error();
  if (count->value_or(1) > kMostPods) return too_many("/spec/replicas", **count);
  return Wanted{{{.pod_template = &at(workload, "/spec/template"),
                  .prefix = workload_name(workload) + "-",
                  .count = count->value_or(1)}},
                {}};
}

Result<Wanted> deployment(const json& workload, const Present& present) {
  if (is_true(workload, "/spec/paused")) return none("paused");
  return replicas(workload, present);
}

Result<Wanted> stateful_set(const json& workload, const Present& present) {
  auto wanted = replicas(workload, present);
  const auto first = given_count(workload, "/spec/ordinals/start");
  if (!wanted || !first) return wanted ? Result<Wanted>(first.error()) : wanted;
  Part& part = wanted->parts.front();
  part.first = std::min<std::int64_t>(first->value_or(0), INT32_MAX);
  part.has_identities = true;
  part.index_label = "apps.kubernetes.io/pod-index";
  return wanted;
}

Result<Wanted> notebook(const json& workload, const Present&) {
  if (!annotation(workload, "kubeflow-resource-stopped").empty()) return none("stopped");
  return Wanted{{{.pod_template = &at(workload, "/spec/template"),
                  .prefix = workload_name(workload) + "-",
                  .has_identities = true,
                  .labels = {{"notebook-name", workload_name(workload)}}}},
                {}};
}

Result<Wanted> knative_service(const json& workload, const Present&) {
  constexpr const char* kMinScale = "autoscaling.knative.dev/min-scale";
  const json& pod_template = at(workload, "/spec/template");
  const std::string text = annotation(pod_template, kMinScale);
  std::int64_t scale = 0;
  const auto failure = std::from_chars(text.data(), text.data() + text.size(), scale).ec;
  const std::string path = std::string("/spec/template/metadata/annotations/") + kMinScale;
  if (failure == std::errc::result_out_of_range) scale = INT64_MAX;
  if (scale > kMostPods) return too_many(path, scale);
  return Wanted{{{.pod_template = &pod_template,
                  .prefix = workload_name(workload) + "-",
                  .count = std::max<std::int64_t>(scale, 1)}},
                {}};
}

// ---------------------------------------------------------------- batch

// How many pods of a Job run at a time after `succeeded` have finished. `above` is the path of the Job in the
// workload.
Result<std::int64_t> job_pods(const json& job, std::int64_t succeeded, const std::string& above = "") {
  const auto parallelism = given_count(job, "/spec/parallelism", above);
  if (!parallelism) return parallelism.error();
  const auto completions = given_count(job, "/spec/completions", above);
  if (!completions) return completions.error();
  std::int64_t count = parallelism->value_or(1);
  if (*completions)
    count = std::min(count, std::max<std::int64_t>(**completions - succeeded, 0));
  else if (succeeded > 0)
    count = 0;  // a Job without completions ends with its first success
  if (count > kMostPods) return too_many(above + "/spec/parallelism", count);
  return count;
}

std::string index_label_of(const json& job) {
  return text_at(job, "/spec/completionMode") == "Indexed" ? "batch.kubernetes.io/job-completion-index" : "";
}

json job_labels(const std::string& job) { return {{"batch.kubernetes.io/job-name", job}, {"job-name", job}}; }

Result<Wanted> batch_job(const json& job, const Present& present) {
  if (is_true(job, "/spec/suspend")) return none("suspended");
  if (has_condition(job, {"Complete", "Failed"})) return none("already finished");
  const auto seen = std::ranges::count_if(present, &PresentPod::has_succeeded);
  const std::int64_t counted = count_at(job, "/status/succeeded").value_or(0);
  const auto count = job_pods(job, std::max<std::int64_t>(seen, counted));
  if (!count) return count.error();
  return Wanted{{{.pod_template = &at(job, "/spec/template"),
                  .prefix = workload_name(job) + "-",
                  .count = *count,
                  .labels = job_labels(workload_name(job)),
                  .index_label = index_label_of(job)}},
                {}};
}

Result<Wanted> cron_job(const json& job, const Present&) {
  return none(is_true(job, "/spec/suspend") ? "suspended" : "its runs are separate Jobs");
}
Result<Wanted> daemon_set(const json&, const Present&) { return none("pods of DaemonSets are not created"); }

// ---------------------------------------------------------------- JobSet

json job_set_labels(const json& set, const json& replicated, std::int64_t replica, const std::string& job) {
  json labels = job_labels(job);
  labels["jobset.sigs.k8s.io/jobset-name"] = workload_name(set);
  labels["jobset.sigs.k8s.io/replicatedjob-name"] = text_at(replicated, "/name");
  labels["jobset.sigs.k8s.io/job-index"] = fmt::format("{}", replica);
  return labels;
}

// Appends the parts of one replicated Job, and returns the number of its pods.
Result<std::int64_t> add_replicated_job(const json& set, std::size_t number, std::vector<Part>& parts) {
  const json& replicated = at(set, "/spec/replicatedJobs")[number];
  const std::string above = fmt::format("/spec/replicatedJobs[{}]", number);
  const auto replicas = given_count(replicated, "/replicas", above);
  if (!replicas) return replicas.error();
  const auto pods = job_pods(at(replicated, "/template"), 0, above + "/template");
  if (!pods || *pods == 0) return pods;
  if (replicas->value_or(1) > kMostPods / *pods) return too_many(above + "/replicas", **replicas);
  for (std::int64_t i = 0; i < replicas->value_or(1); ++i) {
    const std::string job = fmt::format("{}-{}-{}", workload_name(set), text_at(replicated, "/name"), i);
    parts.push_back({.template_path = dotted(above) + ".template.spec.template",
                     .pod_template = &at(replicated, "/template/spec/template"),
                     .prefix = job + "-",
                     .count = *pods,
                     .labels = job_set_labels(set, replicated, i, job),
                     .index_label = index_label_of(at(replicated, "/template")),
                     .is_only_one = false});
  }
  return *pods * replicas->value_or(1);
}

Result<Wanted> job_set(const json& set, const Present&) {
  if (is_true(set, "/spec/suspend")) return none("suspended");
  if (has_condition(set, {"Completed", "Failed"})) return none("already finished");
  Wanted wanted;
  const json& jobs = at(set, "/spec/replicatedJobs");
  std::int64_t total = 0;
  for (std::size_t i = 0; jobs.is_array() && i < jobs.size(); ++i) {
    const auto pods = add_replicated_job(set, i, wanted.parts);
    if (!pods) return pods.error();
    total += *pods;
    if (total > kMostPods) return too_many("/spec/replicatedJobs", total);
  }
  return wanted;
}

// ---------------------------------------------------------------- the table

struct PodMaker {
  std::string_view group, kind;
  Result<Wanted> (*wanted)(const json& workload, const Present& present);
};

// The pods of these kinds are known only to their operators.
Result<Wanted> of_operator(const json&, const Present&) {
  return none("its operator decides which pods to create");
}

constexpr PodMaker kMakers[] = {
    {"", "ReplicationController", &replicas},
    {"apps", "Deployment", &deployment},
    {"apps", "ReplicaSet", &replicas},
    {"apps", "StatefulSet", &stateful_set},
    {"apps", "DaemonSet", &daemon_set},
    {"batch", "Job", &batch_job},
    {"batch", "CronJob", &cron_job},
    {"jobset.x-k8s.io", "JobSet", &job_set},
    {"kubeflow.org", "PyTorchJob", &training_job_pods},
    {"kubeflow.org", "TFJob", &training_job_pods},
    {"kubeflow.org", "XGBoostJob", &training_job_pods},
    {"kubeflow.org", "JAXJob", &training_job_pods},
    {"kubeflow.org", "MPIJob", &training_job_pods},
    {"kubeflow.org", "Notebook", &notebook},
    {"serving.knative.dev", "Service", &knative_service},
    {"leaderworkerset.x-k8s.io", "LeaderWorkerSet", &leader_worker_pods},
    {"ray.io", "RayCluster", &ray_pods},
    {"ray.io", "RayJob", &ray_pods},
    {"ray.io", "RayService", &ray_pods},
    {"argoproj.io", "Workflow", &of_operator},
    {"trainer.kubeflow.org", "TrainJob", &of_operator},
    {"sparkoperator.k8s.io", "SparkApplication", &of_operator},
    {"grove.io", "PodCliqueSet", &of_operator},
};

const PodMaker* maker_of(std::string_view api_version, std::string_view kind) {
  const std::size_t slash = api_version.find('/');
  const auto group = slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
  const auto* const found =
      std::ranges::find_if(kMakers, [&](const PodMaker& m) { return m.group == group && m.kind == kind; });
  return found == std::end(kMakers) ? nullptr : found;
}

// ---------------------------------------------------------------- pods

json merged(const json& map, const json& more) {
  json result = map.is_object() ? map : json::object();
  result.update(more);
  return result;
}

json reference_to(const json& workload) {
  json reference = {{"apiVersion", text_at(workload, "/apiVersion")},
                    {"kind", text_at(workload, "/kind")},
                    {"name", workload_name(workload)},
                    {"controller", true}};
  if (const std::string uid = text_at(workload, "/metadata/uid"); !uid.empty()) reference["uid"] = uid;
  return reference;
}

json pod_of(const json& workload, const Part& part, std::int64_t number) {
  json metadata = {{"name", fmt::format("{}{}", part.prefix, number)},
                   {"namespace", text_at(workload, "/metadata/namespace")},
                   {"labels", merged(at(*part.pod_template, "/metadata/labels"), part.labels)},
                   {"annotations", merged(at(*part.pod_template, "/metadata/annotations"), json::object())},
                   {"ownerReferences", json::array({reference_to(workload)})}};
  if (!part.index_label.empty()) metadata["labels"][part.index_label] = fmt::format("{}", number);
  if (std::string created = text_at(workload, "/metadata/creationTimestamp"); !created.empty())
    metadata["creationTimestamp"] = std::move(created);
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", std::move(metadata)},
          {"spec", at(*part.pod_template, "/spec")}};
}

std::int64_t missing_of(const Part& part, const Present& present) {
  const auto is_its = [&](const PresentPod& pod) {
    return !pod.has_ended && (part.is_only_one || pod.name.starts_with(part.prefix));
  };
  return part.count - std::ranges::count_if(present, is_its);
}

void add_pods(const json& workload, const Part& part, const Present& present, MissingPods& into) {
  std::set<std::string_view> taken;
  for (const PresentPod& pod : present)
    if (std::string_view(pod.name).starts_with(part.prefix)) taken.insert(pod.name);
  const std::int64_t end = part.first + part.count;
  std::int64_t missing = part.has_identities ? part.count : missing_of(part, present);
  for (std::int64_t n = part.first; missing > 0 && (n < end || !part.has_identities); ++n) {
    if (taken.contains(fmt::format("{}{}", part.prefix, n))) continue;
    into.pods.push_back({pod_of(workload, part, n), part.template_path});
    --missing;
  }
}

}  // namespace

bool makes_pods(const std::string& api_version, const std::string& kind) {
  return maker_of(api_version, kind) != nullptr;
}

Result<MissingPods> missing_pods(const json& workload, const std::vector<PresentPod>& present) {
  const PodMaker* const maker = maker_of(text_at(workload, "/apiVersion"), text_at(workload, "/kind"));
  if (maker == nullptr) return MissingPods{};
  const auto wanted = maker->wanted(workload, present);
  if (!wanted) return wanted.error();
  MissingPods missing{.why_none = wanted->why_none};
  std::int64_t count = 0;
  for (const Part& part : wanted->parts) {
    if (part.count > 0 && !at(*part.pod_template, "/spec").is_object())
      return MissingPods{.why_none = fmt::format("no {}.spec", part.template_path)};
    missing.schedulers.push_back(text_at(*part.pod_template, "/spec/schedulerName"));
    count += part.count;
    add_pods(workload, part, present, missing);
  }
  if (count == 0 && missing.why_none.empty()) missing.why_none = "no pods requested";
  return missing;
}

std::optional<json> next_run(const json& cron_job) {
  const bool is_one =
      text_at(cron_job, "/kind") == "CronJob" && text_at(cron_job, "/apiVersion").starts_with("batch/");
  const json& job_template = at(cron_job, "/spec/jobTemplate");
  if (!is_one || is_true(cron_job, "/spec/suspend") || !job_template.is_object()) return std::nullopt;
  json metadata = {{"name", workload_name(cron_job) + "-run"},
                   {"namespace", text_at(cron_job, "/metadata/namespace")},
                   {"labels", merged(at(job_template, "/metadata/labels"), json::object())},
                   {"annotations", merged(at(job_template, "/metadata/annotations"), json::object())},
                   {"ownerReferences", json::array({reference_to(cron_job)})}};
  return json{{"apiVersion", text_at(cron_job, "/apiVersion")},
              {"kind", "Job"},
              {"metadata", std::move(metadata)},
              {"spec", at(job_template, "/spec")}};
}

}  // namespace muster::grouper
