// Changes of jobs and of the requests of their pods.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "answers/api_objects.hpp"
#include "answers/change_parts.hpp"
#include "answers/find_job.hpp"
#include "model/notation.hpp"
#include "model/topology_tree.hpp"
#include "util/suggest.hpp"

namespace muster::answers {
namespace {

constexpr std::string_view kGpuName = "nvidia.com/gpu";

Result<JobId> job_named(Change& change, const Cluster& cluster) {
  const FoundJob found = find_job(cluster, change.target);
  if (!found.job.valid()) return Error{found.problem, {}};
  change.target = cluster.job(found.job).full_name();
  return found.job;
}

// `edit(object)` returns an error message, or "".
template <class Edit>
Result<void> edit_job(Change& change, Cluster& cluster, Edit edit) {
  const auto job = job_named(change, cluster);
  if (!job) return job.error();
  PodGroupObject object = pod_group_of(cluster, *job);
  if (std::string problem = edit(object); !problem.empty())
    return Error{fmt::format("job {}: {}", change.target, problem), {}};
  cluster.apply(Object(std::move(object)));
  cluster.forget_past(*job);
  return {};
}

std::vector<TaskId> waiting_tasks(const Cluster& cluster, JobId job) {
  std::vector<TaskId> tasks;
  for (const PodSet& set : cluster.job(job).pod_sets)
    for (TaskId t : set.tasks)
      if (cluster.placement(t).status == TaskStatus::kPending) tasks.push_back(t);
  return tasks;
}

// `edit` changes the request of each pending pod.
template <class Edit>
Result<void> edit_pods(Change& change, Cluster& cluster, const Edit& edit) {
  const auto job = job_named(change, cluster);
  if (!job) return job.error();
  for (TaskId t : waiting_tasks(cluster, *job)) {
    PodObject asks = asks_of(cluster, t);
    edit(asks);
    cluster.reshape(t, asks);
  }
  return {};
}

const std::string& text_in(const ChangeValue& value) { return std::get<std::string>(value); }

}  // namespace

Result<void> set_job_priority(Change& change, Cluster& cluster, TimePoint&) {
  const std::string& to = text_in(change.to);
  const auto& classes = cluster.kept().all<PriorityClassObject>();
  if (!to.empty() && !classes.contains(to)) {
    std::vector<std::string_view> known;
    for (const auto& [name, object] : classes) known.push_back(name);
    return Error{fmt::format("there is no priority class \"{}\"{}", to, nearest_names(to, known)), {}};
  }
  return edit_job(change, cluster, [&](PodGroupObject& object) -> std::string {
    change.from = object.priority_class;
    object.priority_class = to;
    return "";
  });
}

Result<void> set_job_preemptibility(Change& change, Cluster& cluster, TimePoint&) {
  static constexpr std::array<std::string_view, 3> kKnown{"preemptible", "non-preemptible",
                                                          "semi-preemptible"};
  const std::string& to = text_in(change.to);
  if (!parse_preemptibility(to))
    return Error{fmt::format("\"{}\" is invalid; expected one of {}{}", to, fmt::join(kKnown, ", "),
                             did_you_mean(to, kKnown)),
                 {}};
  const auto job = job_named(change, cluster);
  if (!job) return job.error();
  change.from = std::string(kKnown[static_cast<std::size_t>(cluster.job(*job).preemptibility)]);
  return edit_job(change, cluster, [&](PodGroupObject& object) {
    object.preemptibility = to;
    return "";
  });
}

Result<void> set_job_minimum(Change& change, Cluster& cluster, TimePoint&) {
  return edit_job(change, cluster, [&](PodGroupObject& object) -> std::string {
    const double to = std::get<double>(change.to);
    if (to < 0 || to != std::floor(to) || to > std::numeric_limits<std::int32_t>::max())
      return "minMember must be a whole number of pods";
    if (!object.sub_groups.empty()) return "has sub groups, each with a minimum of its own";
    change.from = static_cast<double>(object.min_member.value_or(1));
    object.min_member = static_cast<std::int32_t>(to);
    return "";
  });
}

Result<void> set_job_queue(Change& change, Cluster& cluster, TimePoint&) {
  if (const auto queue = queue_named(cluster, text_in(change.to)); !queue) return queue.error();
  return edit_job(change, cluster, [&](PodGroupObject& object) {
    change.from = object.queue;
    object.queue = text_in(change.to);
    return "";
  });
}

Result<void> set_topology_level(Change& change, Cluster& cluster, TimePoint&) {
  return edit_job(change, cluster, [&](PodGroupObject& object) {
    change.from = object.topology.required;
    object.topology.required = text_in(change.to);
    if (object.topology.required.empty() && object.topology.preferred.empty()) object.topology = {};
    return "";
  });
}

Result<void> set_pod_size(Change& change, Cluster& cluster, TimePoint&) {
  const auto job = job_named(change, cluster);
  if (!job) return job.error();
  const auto from = gpus_per_pod(cluster, *job);
  if (!from)
    return Error{fmt::format("job {}: its pods do not all request the same number of GPUs", change.target),
                 {}};
  const auto to = static_cast<std::int64_t>(std::get<double>(change.to));
  change.from = static_cast<double>(*from);
  return edit_pods(change, cluster, [&](PodObject& asks) {
    for (NamedAmount& amount : asks.requests)
      if (amount.name == kGpuName) amount.units = to * kOneGpu;
    asks.gpu.devices = static_cast<std::int32_t>(to);
    for (ContainerRequest& container : asks.containers)
      for (NamedAmount& amount : container.amounts)
        if (amount.name == kGpuName) amount.units = to * kOneGpu;
  });
}

Result<void> set_node_label(Change& change, Cluster& cluster, TimePoint&) {
  const auto split = [](const std::string& text) {
    const auto at = text.find('=');
    return std::pair(text.substr(0, at), at == text.npos ? "" : text.substr(at + 1));
  };
  const auto [key, value] = split(text_in(change.from));
  const std::string& to = text_in(change.to);
  return edit_pods(change, cluster, [&, selected = key](PodObject& asks) {
    auto& selector = asks.constraints.node_selector;
    if (to.empty())
      std::erase_if(selector, [&](const auto& entry) { return entry.first == selected; });
    else
      for (auto& entry : selector)
        if (entry.first == selected) entry.second = split(to).second;
  });
}

Result<void> add_toleration(Change& change, Cluster& cluster, TimePoint&) {
  const std::string& to = text_in(change.to);
  const auto colon = to.rfind(':');
  const std::string pair = to.substr(0, colon), effect = colon == to.npos ? "" : to.substr(colon + 1);
  const auto equals = pair.find('=');
  Toleration toleration{.key = pair.substr(0, equals),
                        .value = equals == pair.npos ? "" : pair.substr(equals + 1),
                        .effect = effect == "NoSchedule"  ? TaintEffect::kNoSchedule
                                  : effect == "NoExecute" ? TaintEffect::kNoExecute
                                                          : TaintEffect::kAny};
  return edit_pods(change, cluster,
                   [&](PodObject& asks) { asks.constraints.tolerations.push_back(toleration); });
}

Result<void> delete_job(Change& change, Cluster& cluster, TimePoint&) {
  const auto job = job_named(change, cluster);
  if (!job) return job.error();
  const std::string ns = cluster.job(*job).ns, name = cluster.job(*job).name;
  for (TaskId t : cluster.job_table().members(*job)) {
    const std::string pod_ns = cluster.task(t).ns, pod = cluster.task(t).name;
    cluster.release_claims(t);
    cluster.remove(PodObject::kKind, pod_ns, pod);
  }
  cluster.remove(PodGroupObject::kKind, ns, name);
  return {};
}

std::optional<std::int64_t> gpus_per_pod(const Cluster& cluster, JobId job) {
  std::optional<std::int64_t> gpus;
  for (TaskId t : waiting_tasks(cluster, job)) {
    const Shape& shape = cluster.shape(cluster.shapes().base_of(cluster.task(t).shape));
    const std::int64_t units = shape.whole_gpus();
    const auto asks_for_gpus = [](const ContainerRequest& c) {
      return std::ranges::any_of(c.amounts, [](const NamedAmount& a) { return a.name == kGpuName; });
    };
    const bool is_plain = !shape.is_shared() && !shape.is_mig() && units % kOneGpu == 0 &&
                          std::ranges::count_if(shape.containers, asks_for_gpus) <= 1;
    if (!is_plain || (gpus && *gpus != units / kOneGpu)) return std::nullopt;
    gpus = units / kOneGpu;
  }
  return gpus;
}

}  // namespace muster::answers
