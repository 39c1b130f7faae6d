// Checks the jobs and writes the status of those whose PodGroup shows another one.
#include "serve/write/job_status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "answers/api_forms.hpp"
#include "kube/json.hpp"
#include "kube/json_text.hpp"
#include "kube/resource.hpp"
#include "model/cluster.hpp"
#include "serve/health/log.hpp"
#include "serve/read/observed_state.hpp"
#include "serve/write/backpressure.hpp"

namespace muster::serve {
namespace {

using nlohmann::json;

constexpr std::size_t kCheckedInTurn = 1000;
// Delays: a short-lived job costs no write, and a status that changes often is written only now and then.
constexpr auto kBeforeWrite = std::chrono::seconds(5);
constexpr auto kBeforeRewrite = std::chrono::minutes(1);
constexpr const char* kOurFields[] = {
    "phase", "running", "pending", "succeeded", "resourcesStatus", "preemptibility", "preemptibilitySource"};

std::string shown_in(const Json& group) {
  const auto status = kube::part_at(group, "status");
  if (!status) return "";
  const json all = json::parse(simdjson::minify(*status), nullptr, false);
  json ours = json::object();
  for (const char* key : kOurFields)
    if (all.is_object() && all.contains(key)) ours[key] = all.at(key);
  return kube::json_text(ours);
}

std::string phase_of(const Job& job) {
  if (job.counts.active_allocated() > 0 && is_satisfied(job, kRoot)) return "Running";
  const bool is_over = job.counts.in(kAlive) == 0 && job.counts.of(TaskStatus::kSucceeded) > 0;
  return is_over ? "Succeeded" : "Pending";
}

struct JobAmounts {
  Charge requested, allocated;
};

JobAmounts amounts_of_job(const Cluster& cluster, const Job& job) {
  constexpr StatusSet kHolding = status_set({TaskStatus::kBinding, TaskStatus::kBound, TaskStatus::kRunning});
  JobAmounts amounts;
  for (const PodSet& set : job.pod_sets)
    for (const TaskId task : set.tasks) {
      const Placement& placement = cluster.placement(task);
      const Shape& shape = cluster.shape_of(task);
      const Charge charge = placement.node.valid() ? cluster.accepted(shape, placement.node) : shape.charge;
      if (in(placement.status, kAlive)) amounts.requested += charge;
      if (in(placement.status, kHolding)) amounts.allocated += charge;
    }
  return amounts;
}

}  // namespace

json progress_of(const Cluster& cluster, const Job& job) {
  const JobAmounts amounts = amounts_of_job(cluster, job);
  const int running = job.counts.of(TaskStatus::kRunning);
  const Charge kept = job.is_preemptible()        ? Charge()
                      : job.is_semi_preemptible() ? job.core
                                                  : amounts.allocated;
  return {{"phase", phase_of(job)},
          {"running", running},
          {"pending", job.counts.in(kAlive)-running},
          {"succeeded", job.counts.of(TaskStatus::kSucceeded)},
          {"resourcesStatus",
           {{"requested", answers::to_json(amounts.requested)},
            {"allocated", answers::to_json(amounts.allocated)},
            {"allocatedNonPreemptible", answers::to_json(kept)}}}};
}

void JobStatus::saw_group(const Json& group) {
  const auto metadata = kube::part_at(group, "metadata");
  if (!metadata || is_silent()) return;
  const std::string key = kube::key_of(*metadata);
  const auto [entry, is_new] = groups_.try_emplace(key);
  if (is_new) entry->second.first_seen = kube::Clock::now();
  entry->second.shown = shown_in(group);
  entry->second.settled_state.clear();
  changed_.insert(key);
}

void JobStatus::publish(const Cluster& cluster) {
  if (is_silent()) return;
  const auto now = kube::Clock::now();
  for (const std::string& key : std::exchange(changed_, {})) {
    const std::size_t slash = key.find('/');
    const JobId id = cluster.find_job(key.substr(0, slash), key.substr(slash + 1));
    if (id.valid()) look_at(cluster, cluster.job(id), now);
  }
  const std::size_t count = cluster.jobs().size();
  for (std::size_t i = 0; i < std::min(count, kCheckedInTurn); ++i, ++next_)
    look_at(cluster, cluster.job(JobId(static_cast<std::uint32_t>(next_ % count))), now);
}

json JobStatus::status_of(const Cluster& cluster, const Job& job) const {
  json status = writes_progress_ ? progress_of(cluster, job) : json::object();
  if (keeps_preemptibility_)
    status.update({{"preemptibility", answers::name_of(job.preemptibility)},
                   {"preemptibilitySource", answers::name_of(job.preemptibility_source)}});
  return status;
}

void JobStatus::look_at(const Cluster& cluster, const Job& job, kube::Clock::time_point now) {
  const auto found = groups_.find(job.full_name());
  if (!job.present || found == groups_.end() || updates_.is_full()) return;
  Group& group = found->second;
  const auto wait = p_.rush.is_on(now) ? WriteBackpressure::kLongestDelay : kBeforeWrite;
  if (now < std::max(group.first_seen, group.sent_at) + wait) return;
  std::string state = fmt::format("{} {}", job.version, answers::preemptibility_text(job));
  if (group.settled_state == state) return;
  const json status = status_of(cluster, job);
  const std::string wanted = kube::json_text(status);
  if (group.shown == wanted) {
    group.settled_state = std::move(state);
    return;
  }
  if (group.sent == wanted && now < group.sent_at + kBeforeRewrite) return;
  group.sent = wanted;
  group.sent_at = now;
  put(job, status);
}

void JobStatus::put(const Job& job, const json& status) {
  const json body = {{"metadata", {{"uid", job.uid}}}, {"status", status}};
  const kube::ApiRequest request{.method = "PATCH",
                                 .path = kube::resources::kPodGroups.path(job.ns, job.name) + "/status",
                                 .body = kube::json_text(body),
                                 .content_type = kube::kMergePatch};
  const auto on_success = [this](const kube::HttpResponse& answer) {
    p_.knowledge.saw(kube::resources::kPodGroups, answer.body);
    if (!keeps_preemptibility_ || answer.body.find("\"preemptibilitySource\"") != std::string::npos) return;
    keeps_preemptibility_ = false;
    p_.log.info("the CRD of PodGroups has no status.preemptibility; it is only written as an annotation");
  };
  updates_.put(job.full_name(), {.make = [request] { return request; }, .on_success = on_success});
}

}  // namespace muster::serve
