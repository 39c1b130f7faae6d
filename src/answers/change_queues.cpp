// Changes of queues.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "answers/change_parts.hpp"
#include "answers/find_job.hpp"

namespace muster::answers {
namespace {

// One GPU, core or GB in the units of queues.
double unit_of(Accounted resource) {
  switch (resource) {
    case Accounted::kCores:
      return 1000;
    case Accounted::kBytes:
      return 1e9;
    case Accounted::kGpus:
      return 1;
  }
  return 1;
}

QueueAmounts& amounts_of(QueueObject& queue, Accounted resource) {
  switch (resource) {
    case Accounted::kCores:
      return queue.cpu;
    case Accounted::kBytes:
      return queue.memory;
    case Accounted::kGpus:
      break;
  }
  return queue.gpu;
}

template <class Edit>
Result<void> edit_queue(const Change& change, Cluster& cluster, Edit edit) {
  const auto queue = queue_named(cluster, change.target);
  if (!queue) return queue.error();
  QueueObject object = cluster.queue(*queue);
  if (std::string problem = edit(object); !problem.empty())
    return Error{fmt::format("queue {}: {}", change.target, problem), {}};
  cluster.apply(Object(std::move(object)));
  return {};
}

}  // namespace

Result<QueueId> queue_named(const Cluster& cluster, std::string_view name) {
  if (const QueueId q = cluster.find_queue(name); q.valid() && cluster.queue(q).present) return q;
  std::vector<std::string_view> known;
  for (const Queue& queue : cluster.queues())
    if (queue.present) known.push_back(queue.name);
  return Error{fmt::format("there is no queue \"{}\"{}", name, nearest_names(name, std::move(known))), {}};
}

Result<void> set_queue_amount(Change& change, Cluster& cluster, TimePoint&) {
  return edit_queue(change, cluster, [&](QueueObject& queue) -> std::string {
    QueueAmounts& amounts = amounts_of(queue, *change.resource);
    const double to = std::get<double>(change.to);
    const bool is_weight = change.kind == ChangeKind::kQueueWeight;
    if (to < 0 && (is_weight || to != -1))
      return is_weight ? "a weight must not be negative"
                       : "an amount must not be negative; -1 means unlimited";
    double& value = is_weight                                ? amounts.weight
                    : change.kind == ChangeKind::kQueueQuota ? amounts.quota
                                                             : amounts.limit;
    const double unit = is_weight ? 1 : unit_of(*change.resource);
    change.from = value == -1 ? -1.0 : value / unit;
    value = to == -1 ? -1 : to * unit;
    if (&value == &amounts.limit) amounts.limit_missing = false;
    return "";
  });
}

Result<void> set_queue_priority(Change& change, Cluster& cluster, TimePoint&) {
  return edit_queue(change, cluster, [&](QueueObject& queue) -> std::string {
    const double to = std::get<double>(change.to);
    if (to != std::floor(to) || std::abs(to) > std::numeric_limits<std::int32_t>::max())
      return "a priority must be a 32-bit integer";
    change.from = static_cast<double>(queue.priority);
    queue.priority = static_cast<std::int32_t>(to);
    return "";
  });
}

Result<void> set_queue_runtime(Change& change, Cluster& cluster, TimePoint&) {
  return edit_queue(change, cluster, [&](QueueObject& queue) -> std::string {
    auto& value = change.kind == ChangeKind::kQueuePreemptMinRuntime ? queue.preempt_min_runtime
                                                                     : queue.reclaim_min_runtime;
    const auto& text = std::get<std::string>(change.to);
    const auto to = parse_duration(text);
    if (!to || *to < Duration::zero()) return fmt::format("\"{}\" is not a duration (e.g. 30s, 1h30m)", text);
    change.from = value ? ChangeValue(format_duration(*value)) : ChangeValue();
    value = *to;
    return "";
  });
}

Result<void> set_queue_parent(Change& change, Cluster& cluster, TimePoint&) {
  const auto& parent = std::get<std::string>(change.to);
  if (!parent.empty())
    if (const auto known = queue_named(cluster, parent); !known) return known.error();
  for (QueueId q = parent.empty() ? QueueId() : cluster.find_queue(parent); q.valid();
       q = cluster.queue(q).parent)
    if (cluster.queue(q).name == change.target)
      return Error{fmt::format("queue {}: cannot be moved below {}, which is in its own subtree",
                               change.target, parent),
                   {}};
  return edit_queue(change, cluster, [&](QueueObject& queue) -> std::string {
    change.from = queue.parent_name;
    queue.parent_name = parent;
    return "";
  });
}

}  // namespace muster::answers
