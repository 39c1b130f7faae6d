// Tracks the pods of each workload. When a pod ends or the workload is scaled, missing pods are created.
#include "sim/workload_controllers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "document/document.hpp"
#include "grouper/default_objects.hpp"
#include "grouper/fields.hpp"
#include "grouper/grouper.hpp"
#include "manifest/manifest.hpp"
#include "manifest/namespace_limits.hpp"
#include "manifest/runtime_classes.hpp"
#include "sim/workload_objects.hpp"
#include "util/printable.hpp"

namespace muster {
namespace {

using grouper::text_at;
using nlohmann::json;

constexpr std::int64_t kDefaultBackoffLimit = 6;
constexpr const char* kPodGroupKey = "pod-group-name";
constexpr const char* kSubGroupKey = "kai.scheduler/subgroup-name";

std::string ns_in(const json& object) {
  std::string ns = text_at(object, "/metadata/namespace");
  return ns.empty() ? "default" : ns;
}
std::string name_in(const json& object) { return text_at(object, "/metadata/name"); }

json parsed(const std::string& text) {
  json object = json::parse(text, nullptr, false);
  if (!object.is_object()) return json::object();
  if (!object["metadata"].is_object()) object["metadata"] = json::object();
  object["metadata"]["namespace"] = ns_in(object);
  return object;
}

// The field with the number of pods at a time.
const char* replicas_key(const std::string& kind) { return kind == "Job" ? "parallelism" : "replicas"; }

// The number of replicas for kinds whose pods are all equal; nullopt for other kinds.
std::optional<std::int64_t> replicas_of(const json& object) {
  constexpr std::array<std::string_view, 5> kWithReplicas{"Deployment", "ReplicaSet", "ReplicationController",
                                                          "StatefulSet", "Job"};
  const std::string kind = text_at(object, "/kind");
  if (std::ranges::find(kWithReplicas, kind) == kWithReplicas.end()) return std::nullopt;
  const std::string path = std::string("/spec/") + replicas_key(kind);
  return grouper::count_at(object, path.c_str()).value_or(1);
}

// Whether each pod is its own job, so that the workload continues when one of its jobs ends.
bool outlives_its_jobs(const json& object) { return text_at(object, "/kind") == "Deployment"; }

bool is_cron_job(const json& object) { return text_at(object, "/kind") == "CronJob"; }

// Kubernetes names the Jobs of a CronJob after the scheduled minute.
std::string run_suffix(TimePoint at) {
  return fmt::format("-{}", at.whole_seconds().time_since_epoch().count() / 60);
}

// The number at the end of a name such as "web-12"; -1 if there is none.
std::int64_t number_of(const std::string& pod) {
  const std::size_t dash = pod.rfind('-');
  if (dash == pod.npos || dash + 1 == pod.size()) return -1;
  std::int64_t number = 0;
  for (const char c : pod.substr(dash + 1)) {
    if (c < '0' || c > '9' || number > 1'000'000'000) return -1;
    number = number * 10 + (c - '0');
  }
  return number;
}

}  // namespace

std::string first_cron_job(const std::vector<ControlledWorkload>& workloads) {
  for (const ControlledWorkload& workload : workloads)
    if (const json object = parsed(workload.object); is_cron_job(object))
      return ns_in(object) + "/" + name_in(object);
  return "";
}

WorkloadControllers::WorkloadControllers(const std::vector<ControlledWorkload>& workloads, GroupingKeys keys)
    : keys_(std::move(keys)) {
  for (const ControlledWorkload& workload : workloads) {
    const json object = parsed(workload.object);
    if (is_cron_job(object))
      add_cron(object);
    else
      add(object, workload.pods);
  }
}

std::string WorkloadControllers::key_of(std::string_view kind, const std::string& ns,
                                        const std::string& name) {
  return fmt::format("{} {}/{}", kind, ns, name);
}

void WorkloadControllers::note_problem(std::string text) {
  if (std::ranges::find(problems_, text) == problems_.end()) problems_.push_back(std::move(text));
}

// ---------------------------------------------------------------- registration

void WorkloadControllers::add(const json& object, const std::vector<std::string>& pods,
                              std::vector<json> above) {
  const std::string ns = ns_in(object);
  const std::string key = key_of(text_at(object, "/kind"), ns, name_in(object));
  Workload& workload = workloads_[key];
  workload.object = object;
  workload.above = std::move(above);
  for (const std::string& pod : pods) {
    workload.pods[pod] = {.name = pod};
    of_pods_[ns + "/" + pod] = key;
  }
}

void WorkloadControllers::add_cron(const json& object) {
  const auto schedule = CronSchedule::parse(text_at(object, "/spec/schedule"));
  const std::string name = ns_in(object) + "/" + name_in(object);
  if (!schedule)
    return note_problem(fmt::format("CronJob {}: spec.schedule: {}", name, schedule.error().message));
  const std::string zone = text_at(object, "/spec/timeZone");
  const auto known = TimeZone::find(zone.empty() ? "UTC" : zone);
  if (!known)
    note_problem(
        fmt::format("CronJob {}: spec.timeZone: \"{}\" is unknown; using UTC", name, beginning_of(zone, 80)));
  crons_.push_back(
      {.object = object, .schedule = *schedule, .zone = known.value_or(TimeZone()), .last_run = {}});
}

// As robfig/cron, which Kubernetes uses: runs in a skipped hour are omitted, and in an hour that occurs
// twice, both occurrences have runs.
TimePoint WorkloadControllers::Cron::next(TimePoint now) const {
  constexpr Duration kDay = std::chrono::hours(24);
  const auto offset_lost_after = [&](TimePoint t) {
    return (zone.local(t) - t) - (zone.local(t + kDay) - (t + kDay));
  };
  // The second occurrence of an earlier local time may be next.
  TimePoint local = zone.local(now) - std::max(Duration::zero(), offset_lost_after(now));
  for (std::optional<TimePoint> best;;) {
    local = schedule.next(local);
    const TimePoint first = zone.utc(local);
    if (best && first >= *best) return *best;
    for (const TimePoint at : {first, first + offset_lost_after(first)})
      if (at > now && zone.local(at) == local && (!best || at < *best)) best = at;
  }
}

void WorkloadControllers::begin(TimedCluster& cluster) {
  for (std::uint32_t i = 0; i < crons_.size(); ++i) cluster.call_controller(crons_[i].next(cluster.now()), i);
  for (const auto& [pod, key] : of_pods_) {
    const std::size_t slash = pod.find('/');
    const TaskId task = cluster.cluster().find_task(pod.substr(0, slash), pod.substr(slash + 1));
    if (!task.valid() || !cluster.cluster().task(task).job.valid()) continue;
    Workload& workload = workloads_[key];
    note_job(cluster, key, task);
    const TaskStatus status = cluster.cluster().placement(task).status;
    workload.pods[pod.substr(slash + 1)].has_succeeded = status == TaskStatus::kSucceeded;
    workload.pods[pod.substr(slash + 1)].has_ended =
        status == TaskStatus::kSucceeded || status == TaskStatus::kFailed;
  }
}

void WorkloadControllers::note_job(TimedCluster& cluster, const std::string& key, TaskId task) {
  const std::string job = cluster.cluster().job(cluster.cluster().task(task).job).full_name();
  workloads_[key].jobs.insert(job);
  of_jobs_[job] = key;
}

WorkloadControllers::Workload* WorkloadControllers::find(std::string_view kind, const std::string& ns,
                                                         const std::string& name) {
  for (auto& [key, workload] : workloads_)
    if ((kind.empty() || text_at(workload.object, "/kind") == kind) && ns_in(workload.object) == ns &&
        name_in(workload.object) == name && !workload.is_over)
      return &workload;
  return nullptr;
}

WorkloadControllers::Workload* WorkloadControllers::of_pod(const std::string& ns, const std::string& pod) {
  const auto key = of_pods_.find(ns + "/" + pod);
  return key == of_pods_.end() ? nullptr : &workloads_[key->second];
}

// ---------------------------------------------------------------- pods

void WorkloadControllers::fill(TimedCluster& cluster, Workload& workload) {
  std::vector<grouper::PresentPod> present;
  for (const auto& [name, pod] : workload.pods) present.push_back(pod);
  auto missing = grouper::missing_pods(workload.object, present);
  if (!missing)
    return note_problem(fmt::format("{} {}/{}: {}", text_at(workload.object, "/kind"), ns_in(workload.object),
                                    name_in(workload.object), missing.error().text()));
  if (creates_pods_in_order(workload.object) && missing->pods.size() > 1) missing->pods.resize(1);
  for (grouper::MadePod& made : missing->pods) make(cluster, workload, std::move(made.pod));
}

void WorkloadControllers::make(TimedCluster& cluster, Workload& workload, json pod) {
  const std::string ns = ns_in(workload.object), name = name_in(pod);
  pod["metadata"]["namespace"] = ns;
  pod["metadata"].erase("creationTimestamp");
  set_default_priority_class(pod, cluster.cluster());
  if (text_at(pod, "/spec/schedulerName") == keys_.scheduler && !join_group(cluster, workload, pod)) return;
  if (!decode(cluster, pod)) return;
  workload.pods[name] = {.name = name};
  of_pods_[ns + "/" + name] = key_of(text_at(workload.object, "/kind"), ns, name_in(workload.object));
}

bool WorkloadControllers::join_group(TimedCluster& cluster, Workload& workload, json& pod) {
  std::vector<json> owners{with_uid(workload.object)};
  for (const json& above : workload.above) owners.push_back(with_uid(above));
  const Cluster& model = cluster.cluster();
  const grouper::GroupingOptions options{.queue_label = keys_.queue_label,
                                         .node_pool_label = keys_.node_pool_label,
                                         .has_priority_class = [&](const std::string& name) {
                                           return model.kept().find<PriorityClassObject>(name) != nullptr ||
                                                  !grouper::shipped_priority_class(name).is_null();
                                         }};
  auto plan = grouper::plan_group(with_uid(pod), owners, options);
  if (!plan) return note_problem(plan.error().text()), false;
  const std::string ns = ns_in(pod), name = name_in(plan->pod_group);
  const JobId job = model.find_job(ns, name);
  if (!job.valid() || !model.job(job).present) {
    const std::string priority = text_at(plan->pod_group, "/spec/priorityClassName");
    if (model.kept().find<PriorityClassObject>(priority) == nullptr)
      if (const json shipped = grouper::shipped_priority_class(priority); !shipped.is_null())
        decode(cluster, shipped);
    if (!decode(cluster, plan->pod_group)) return false;
  }
  if (!pod["metadata"]["annotations"].is_object()) pod["metadata"]["annotations"] = json::object();
  pod["metadata"]["annotations"][kPodGroupKey] = name;
  if (!plan->sub_group.empty()) pod["metadata"]["labels"][kSubGroupKey] = plan->sub_group;
  const std::string joined = ns + "/" + name;
  workload.jobs.insert(joined);
  of_jobs_[joined] = key_of(text_at(workload.object, "/kind"), ns, name_in(workload.object));
  return true;
}

// Applies the LimitRanges and runtime classes that exist at this time.
bool WorkloadControllers::decode(TimedCluster& cluster, const json& object) {
  Findings findings;
  bool is_applied = false;
  NamespaceLimits limits;
  RuntimeClasses runtime_classes;
  const KeptObjects& kept = cluster.cluster().kept();
  for (const auto& [key, range] : kept.all<LimitRangeObject>()) limits.add(range);
  for (const auto& [key, runtime_class] : kept.all<RuntimeClassObject>()) runtime_classes.add(runtime_class);
  const DecodeOptions options{.now = cluster.now(), .limits = &limits, .runtime_classes = &runtime_classes};
  read_documents_in(
      name_in(object), object.dump(-1, ' ', false, json::error_handler_t::replace),
      [&](const Document& document) {
        decode_object(
            document, options,
            [&](Object&& decoded) {
              cluster.apply(std::move(decoded));
              is_applied = true;
            },
            findings);
      },
      [&](const Error& error) { findings.errors.push_back(error); });
  for (const Error& error : findings.errors) note_problem(error.text());
  return is_applied;
}

// ---------------------------------------------------------------- changes to workloads

void WorkloadControllers::apply(TimedCluster& cluster, const std::string& text) {
  const json object = parsed(text);
  if (is_cron_job(object)) {
    const std::size_t before = crons_.size();
    add_cron(object);
    if (crons_.size() > before)
      cluster.call_controller(crons_.back().next(cluster.now()), static_cast<std::uint32_t>(before));
    return;
  }
  Workload* workload = find(text_at(object, "/kind"), ns_in(object), name_in(object));
  if (workload == nullptr) {
    add(object, {});
    workload = find(text_at(object, "/kind"), ns_in(object), name_in(object));
  }
  workload->object = object;
  if (const auto wanted = replicas_of(object)) remove_surplus(cluster, *workload, *wanted);
  fill(cluster, *workload);
}

bool WorkloadControllers::remove(TimedCluster& cluster, std::string_view kind, const std::string& ns,
                                 const std::string& name) {
  if (kind == "CronJob") {
    for (Cron& cron : crons_)
      if (ns_in(cron.object) == ns && name_in(cron.object) == name) return cron.is_gone = true;
    return false;
  }
  Workload* workload = find(kind, ns, name);
  if (workload == nullptr) return false;
  workload->is_over = true;
  for (const std::string& job : workload->jobs) {
    const std::size_t slash = job.find('/');
    cluster.remove(PodGroupObject::kKind, job.substr(0, slash), job.substr(slash + 1));
  }
  return true;
}

bool WorkloadControllers::scale(TimedCluster& cluster, std::string_view kind, const std::string& ns,
                                const std::string& name, std::int64_t replicas) {
  Workload* workload = find(kind, ns, name);
  if (workload == nullptr) {
    note_problem(fmt::format("a step scales {}/{}, but this workload does not exist", ns, name));
    return false;
  }
  workload->object["spec"][replicas_key(text_at(workload->object, "/kind"))] = replicas;
  remove_surplus(cluster, *workload, replicas);
  fill(cluster, *workload);
  return true;
}

// Removes the pods with the highest numbers first. Except for StatefulSets, pending pods go before running
// ones.
void WorkloadControllers::remove_surplus(TimedCluster& cluster, Workload& workload, std::int64_t replicas) {
  const std::string ns = ns_in(workload.object);
  const bool is_ordered = text_at(workload.object, "/kind") == "StatefulSet";
  std::vector<std::string> alive;
  for (const auto& [name, pod] : workload.pods)
    if (!pod.has_ended) alive.push_back(name);
  const auto is_pending = [&](const std::string& pod) {
    const TaskId task = cluster.cluster().find_task(ns, pod);
    return task.valid() && !in(cluster.cluster().placement(task).status, kActiveUsed);
  };
  std::ranges::sort(alive, [&](const std::string& a, const std::string& b) {
    return std::tuple(!is_ordered && is_pending(a), number_of(a), a) <
           std::tuple(!is_ordered && is_pending(b), number_of(b), b);
  });
  while (std::ssize(alive) > replicas) {
    cluster.remove(PodObject::kKind, ns, alive.back());
    workload.pods.erase(alive.back());
    of_pods_.erase(ns + "/" + alive.back());
    alive.pop_back();
  }
}

// ---------------------------------------------------------------- events

void WorkloadControllers::pod_started(TimedCluster& cluster, const std::string& ns, const std::string& name) {
  Workload* workload = of_pod(ns, name);
  if (workload == nullptr || workload->is_over) return;
  if (workload->jobs.empty() || outlives_its_jobs(workload->object))
    note_job(cluster, of_pods_[ns + "/" + name], cluster.cluster().find_task(ns, name));
  if (creates_pods_in_order(workload->object)) fill(cluster, *workload);
}

// Only Jobs create further pods when one finishes, and only while completions are missing.
void WorkloadControllers::pod_finished(TimedCluster& cluster, const std::string& ns,
                                       const std::string& name) {
  Workload* workload = of_pod(ns, name);
  if (workload == nullptr || workload->is_over) return;
  workload->pods[name].has_ended = workload->pods[name].has_succeeded = true;
  if (text_at(workload->object, "/kind") == "Job") fill(cluster, *workload);
}

void WorkloadControllers::job_ended(TimedCluster&, const std::string& job, bool) {
  const auto key = of_jobs_.find(job);
  if (key == of_jobs_.end()) return;
  const auto found = workloads_.find(key->second);
  of_jobs_.erase(key);
  if (found == workloads_.end()) return;
  found->second.jobs.erase(job);
  if (outlives_its_jobs(found->second.object)) return;
  const std::string ns = ns_in(found->second.object);
  for (const auto& [name, pod] : found->second.pods) of_pods_.erase(ns + "/" + name);
  workloads_.erase(found);
}

bool WorkloadControllers::gives_up(const std::string& job, std::int64_t failures) const {
  const auto key = of_jobs_.find(job);
  const auto found = key == of_jobs_.end() ? workloads_.end() : workloads_.find(key->second);
  if (found == workloads_.end() || text_at(found->second.object, "/kind") != "Job") return false;
  const json& limit = grouper::at(found->second.object, "/spec/backoffLimit");
  return failures > (limit.is_number_integer() ? limit.get<std::int64_t>() : kDefaultBackoffLimit);
}

void WorkloadControllers::is_time(TimedCluster& cluster, std::uint32_t which) {
  if (crons_[which].is_gone) return;
  run_cron(cluster, which);
  cluster.call_controller(crons_[which].next(cluster.now()), which);
}

void WorkloadControllers::run_cron(TimedCluster& cluster, std::uint32_t which) {
  Cron& cron = crons_[which];
  auto job = grouper::next_run(cron.object);
  if (!job || text_at(*job, "/spec/template/spec/schedulerName") != keys_.scheduler) return;
  const auto last = workloads_.find(cron.last_run);
  const bool is_running = last != workloads_.end() && !last->second.is_over;
  const std::string policy = text_at(cron.object, "/spec/concurrencyPolicy");
  if (is_running && policy == "Forbid") return;
  if (is_running && policy == "Replace")
    remove(cluster, "Job", ns_in(last->second.object), name_in(last->second.object));
  const std::string name = name_in(cron.object) + run_suffix(cluster.now());
  (*job)["metadata"]["name"] = name;
  (*job)["metadata"]["namespace"] = ns_in(cron.object);
  cron.last_run = key_of("Job", ns_in(cron.object), name);
  add(*job, {}, {cron.object});
  fill(cluster, workloads_[cron.last_run]);
}

}  // namespace muster
