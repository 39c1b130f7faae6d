// Each kind in turn: how many pods, of which template, under which names and labels.
#include "grouper/workload_pods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <string_view>

#include "grouper/fields.hpp"
#include "grouper/workload_rules.hpp"

namespace muster::grouper {
namespace {

using Present = std::vector<PresentPod>;

// Pods of one template.
struct Part {
  std::string template_path = "spec.template";
  const json* pod_template = nullptr;
  std::string prefix;  // of the names
  std::int64_t count = 1;
  std::int64_t first = 0;        // number
  bool has_identities = false;   // a pod is missing where its number is, not where there are too few
  json labels = json::object();  // beside the template's
  std::string index_label = {};  // gets the number; "": none does
  bool is_only_one = true;       // all pods of the workload are its
};

struct Wanted {
  std::vector<Part> parts;
  std::string why_none;
};

Wanted none(std::string why) { return {{}, std::move(why)}; }

// "/spec/replicas" is spec.replicas.
std::string dotted(std::string_view path) {
  std::string text(path.substr(1));
  std::ranges::replace(text, '/', '.');
  return text;
}

Error error_at(std::string_view path, std::string message) {
  return {std::move(message), {.path = dotted(path)}};
}

// Nothing where it is absent; an error where it is no count. Any size.
Result<std::optional<std::int64_t>> given_count(const json& object, const char* path,
                                                const std::string& above = "") {
  const json& value = at(object, path);
  if (value.is_null()) return std::optional<std::int64_t>();
  const std::string where = above + path;
  if (!value.is_number_integer()) return error_at(where, value.dump() + " is no count");
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX)
    return std::optional<std::int64_t>(INT64_MAX);
  if (value.get<std::int64_t>() < 0) return error_at(where, value.dump() + " is negative");
  return std::optional<std::int64_t>(value.get<std::int64_t>());
}

Error too_many(std::string_view path, std::int64_t pods) {
  return error_at(path,
                  fmt::format("asks for {} pods; at most {} of one workload are made", pods, kMostPods));
}

std::string name_of(const json& workload) { return text_at(workload, "/metadata/name"); }

bool is_true(const json& object, const char* path) { return at(object, path) == true; }

bool has_condition(const json& workload, std::initializer_list<std::string_view> types) {
  for (const json& condition : at(workload, "/status/conditions")) {
    if (!condition.is_object() || text_at(condition, "/status") != "True") continue;
    const std::string type = text_at(condition, "/type");
    if (std::ranges::find(types, type) != types.end()) return true;
  }
  return false;
}

// ---------------------------------------------------------------- sets of replicas

Result<Wanted> replicas(const json& workload, const Present&) {
  const auto count = given_count(workload, "/spec/replicas");
  if (!count) return count.error();
  if (count->value_or(1) > kMostPods) return too_many("/spec/replicas", **count);
  return Wanted{{{.pod_template = &at(workload, "/spec/template"),
                  .prefix = name_of(workload) + "-",
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
                  .prefix = name_of(workload) + "-",
                  .has_identities = true,
                  .labels = {{"notebook-name", name_of(workload)}}}},
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
                  .prefix = name_of(workload) + "-",
                  .count = std::max<std::int64_t>(scale, 1)}},
                {}};
}

// ---------------------------------------------------------------- batch

// How many pods of a Job run at once, when `succeeded` of them are done. `above`: of the Job in the workload.
Result<std::int64_t> job_pods(const json& job, std::int64_t succeeded, const std::string& above = "") {
  const auto parallelism = given_count(job, "/spec/parallelism", above);
  if (!parallelism) return parallelism.error();
  const auto completions = given_count(job, "/spec/completions", above);
  if (!completions) return completions.error();
  std::int64_t count = parallelism->value_or(1);
  if (*completions)
    count = std::min(count, std::max<std::int64_t>(**completions - succeeded, 0));
  else if (succeeded > 0)
    count = 0;  // one that succeeds ends a Job without completions
  if (count > kMostPods) return too_many(above + "/spec/parallelism", count);
  return count;
}

std::string index_label_of(const json& job) {
  return text_at(job, "/spec/completionMode") == "Indexed" ? "batch.kubernetes.io/job-completion-index" : "";
}

json job_labels(const std::string& job) { return {{"batch.kubernetes.io/job-name", job}, {"job-name", job}}; }

Result<Wanted> batch_job(const json& job, const Present& present) {
  if (is_true(job, "/spec/suspend")) return none("suspended");
  if (has_condition(job, {"Complete", "Failed"})) return none("ended already");
  const auto seen = std::ranges::count_if(present, &PresentPod::has_succeeded);
  const std::int64_t counted = count_at(job, "/status/succeeded").value_or(0);
  const auto count = job_pods(job, std::max<std::int64_t>(seen, counted));
  if (!count) return count.error();
  return Wanted{{{.pod_template = &at(job, "/spec/template"),
                  .prefix = name_of(job) + "-",
                  .count = *count,
                  .labels = job_labels(name_of(job)),
                  .index_label = index_label_of(job)}},
                {}};
}

Result<Wanted> cron_job(const json& job, const Present&) {
  return none(is_true(job, "/spec/suspend") ? "suspended" : "its runs are Jobs of their own");
}
Result<Wanted> daemon_set(const json&, const Present&) { return none("pods for every node are not made"); }

// ---------------------------------------------------------------- JobSet

json job_set_labels(const json& set, const json& replicated, std::int64_t replica, const std::string& job) {
  json labels = job_labels(job);
  labels["jobset.sigs.k8s.io/jobset-name"] = name_of(set);
  labels["jobset.sigs.k8s.io/replicatedjob-name"] = text_at(replicated, "/name");
  labels["jobset.sigs.k8s.io/job-index"] = fmt::format("{}", replica);
  return labels;
}

// The parts of one replicated Job; the count of its pods is returned.
Result<std::int64_t> add_replicated_job(const json& set, std::size_t number, std::vector<Part>& parts) {
  const json& replicated = at(set, "/spec/replicatedJobs")[number];
  const std::string above = fmt::format("/spec/replicatedJobs[{}]", number);
  const auto replicas = given_count(replicated, "/replicas", above);
  if (!replicas) return replicas.error();
  const auto pods = job_pods(at(replicated, "/template"), 0, above + "/template");
  if (!pods || *pods == 0) return pods;
  if (replicas->value_or(1) > kMostPods / *pods) return too_many(above + "/replicas", **replicas);
  for (std::int64_t i = 0; i < replicas->value_or(1); ++i) {
    const std::string job = fmt::format("{}-{}-{}", name_of(set), text_at(replicated, "/name"), i);
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
  if (has_condition(set, {"Completed", "Failed"})) return none("ended already");
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

// ---------------------------------------------------------------- PyTorchJob

struct Role {
  const char *key, *name;
};

json role_labels(const json& job, const Role& role) {
  json labels = {{"training.kubeflow.org/job-name", name_of(job)},
                 {"training.kubeflow.org/replica-type", role.name}};
  if (std::string_view(role.name) == "master") labels["training.kubeflow.org/job-role"] = "master";
  return labels;
}

Result<Wanted> pytorch_job(const json& job, const Present&) {
  if (is_true(job, "/spec/runPolicy/suspend")) return none("suspended");
  if (has_condition(job, {"Succeeded", "Failed"})) return none("ended already");
  Wanted wanted;
  std::int64_t total = 0;
  for (const Role& role : {Role{"Master", "master"}, Role{"Worker", "worker"}}) {
    const std::string above = std::string("/spec/pytorchReplicaSpecs/") + role.key;
    const json& spec = at(job, above.c_str());
    if (!spec.is_object()) continue;
    const auto replicas = given_count(spec, "/replicas", above);
    if (!replicas) return replicas.error();
    const std::int64_t count = replicas->value_or(1);
    if (count > kMostPods - total) return too_many(above + "/replicas", count);
    total += count;
    wanted.parts.push_back({.template_path = dotted(above) + ".template",
                            .pod_template = &at(spec, "/template"),
                            .prefix = fmt::format("{}-{}-", name_of(job), role.name),
                            .count = count,
                            .has_identities = true,
                            .labels = role_labels(job, role),
                            .index_label = "training.kubeflow.org/replica-index",
                            .is_only_one = false});
  }
  return wanted;
}

// ---------------------------------------------------------------- RayCluster

// The head is a group of its own; a worker group has its replicas, each of as many pods as it has hosts.
Result<Wanted> ray_cluster(const json& cluster, const Present&) {
  if (is_true(cluster, "/spec/suspend")) return none("suspended");
  const auto labels = [&](const std::string& group, const char* type) {
    return json{{"ray.io/cluster", name_of(cluster)}, {"ray.io/group", group}, {"ray.io/node-type", type}};
  };
  Wanted wanted;
  wanted.parts.push_back({.template_path = "spec.headGroupSpec.template",
                          .pod_template = &at(cluster, "/spec/headGroupSpec/template"),
                          .prefix = name_of(cluster) + "-head-",
                          .labels = labels(kRayHead, "head"),
                          .is_only_one = false});
  const json& groups = at(cluster, "/spec/workerGroupSpecs");
  std::int64_t total = 1;
  for (std::size_t i = 0; groups.is_array() && i < groups.size(); ++i) {
    const std::string above = fmt::format("/spec/workerGroupSpecs[{}]", i);
    const auto replicas = given_count(groups[i], "/replicas", above);
    const auto hosts = given_count(groups[i], "/numOfHosts", above);
    if (!replicas || !hosts) return replicas ? hosts.error() : replicas.error();
    if (is_true(groups[i], "/suspend") || replicas->value_or(0) == 0) continue;
    const std::int64_t of_each = std::clamp<std::int64_t>(hosts->value_or(1), 1, kMostPods + 1);
    if (**replicas > (kMostPods - total) / of_each) return too_many(above + "/replicas", **replicas);
    total += **replicas * of_each;
    const std::string group = ray_worker_group(groups[i], i);
    wanted.parts.push_back({.template_path = dotted(above) + ".template",
                            .pod_template = &at(groups[i], "/template"),
                            .prefix = fmt::format("{}-{}-worker-", name_of(cluster), group),
                            .count = **replicas * of_each,
                            .labels = labels(group, "worker"),
                            .is_only_one = false});
  }
  return wanted;
}

// ---------------------------------------------------------------- the table

struct PodMaker {
  std::string_view group, kind;
  Result<Wanted> (*wanted)(const json& workload, const Present& present);
};

constexpr std::array<PodMaker, 12> kMakers{{
    {"", "ReplicationController", &replicas},
    {"apps", "Deployment", &deployment},
    {"apps", "ReplicaSet", &replicas},
    {"apps", "StatefulSet", &stateful_set},
    {"apps", "DaemonSet", &daemon_set},
    {"batch", "Job", &batch_job},
    {"batch", "CronJob", &cron_job},
    {"jobset.x-k8s.io", "JobSet", &job_set},
    {"kubeflow.org", "PyTorchJob", &pytorch_job},
    {"kubeflow.org", "Notebook", &notebook},
    {"ray.io", "RayCluster", &ray_cluster},
    {"serving.knative.dev", "Service", &knative_service},
}};

const PodMaker* maker_of(std::string_view api_version, std::string_view kind) {
  const std::size_t slash = api_version.find('/');
  const auto group = slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
  const auto* const found =
      std::ranges::find_if(kMakers, [&](const PodMaker& m) { return m.group == group && m.kind == kind; });
  return found == kMakers.end() ? nullptr : found;
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
                    {"name", name_of(workload)},
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
  if (count == 0 && missing.why_none.empty()) missing.why_none = "no pods wanted";
  return missing;
}

std::optional<json> next_run(const json& cron_job) {
  const bool is_one =
      text_at(cron_job, "/kind") == "CronJob" && text_at(cron_job, "/apiVersion").starts_with("batch/");
  const json& job_template = at(cron_job, "/spec/jobTemplate");
  if (!is_one || is_true(cron_job, "/spec/suspend") || !job_template.is_object()) return std::nullopt;
  json metadata = {{"name", name_of(cron_job) + "-run"},
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
