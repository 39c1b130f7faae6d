// Finds jobs without a usable queue, priority class or topology.
#include <fmt/format.h>

#include "checks/checks.hpp"
#include "util/suggest.hpp"

namespace muster::checks {
namespace {

std::string nearest_queue(const Cluster& cluster, const std::string& name) {
  std::vector<std::string_view> known;
  for (const Queue& queue : cluster.queues())
    if (queue.present) known.push_back(queue.name);
  return did_you_mean(name, known);
}

// Which queue the job's use is charged to instead; "" if the job uses nothing.
std::string charged_instead(const Cluster& cluster, const Job& job) {
  if (!cluster.options().compatibility.charge_until_gone || job.counts.active_allocated() == 0) return "";
  if (job.queue == cluster.queue_tree().no_queue())
    return "; its running pods are charged to no queue, and any queue may reclaim them";
  return fmt::format("; its running pods are still charged to queue \"{}\"", cluster.queue(job.queue).name);
}

void check_queue(const Checked& checked, const Job& job, Warnings& warnings) {
  const Cluster& cluster = checked.cluster;
  const std::string object = "PodGroup " + job.full_name();
  if (job.queue_name.empty()) return warnings.add(object, "spec.queue", "is missing: the job cannot run");
  const QueueId named = cluster.find_queue(job.queue_name);
  if (!named.valid() || !cluster.queue(named).present)
    return warnings.add(object, "spec.queue",
                        fmt::format("queue \"{}\" is not {}{}{}", job.queue_name, checked.where,
                                    nearest_queue(cluster, job.queue_name), charged_instead(cluster, job)));
  const Queue& queue = cluster.queue(named);
  if (!queue.usable)
    return warnings.add(
        object, "spec.queue",
        fmt::format("queue \"{}\" is left out because a queue above it is invalid; the job cannot run",
                    queue.name));
  if (queue.is_leaf() && !queue.admits(job.ns))
    warnings.add(object, "spec.queue",
                 fmt::format("queue \"{}\" does not admit namespace {} (annotation muster.dev/namespaces){}",
                             queue.name, job.ns, charged_instead(cluster, job)));
  if (!queue.is_leaf())
    warnings.add(object, "spec.queue",
                 fmt::format("queue \"{}\" has queues below it; jobs run in leaf queues only", queue.name));
}

void check_preemptibility(const Checked& checked, const Job& job, Warnings& warnings) {
  if (!job.is_held_back()) return;
  warnings.add(
      "PodGroup " + job.full_name(), "spec.preemptibility",
      fmt::format("was made less preemptible while running, but does not fit the quota of queue \"{}\" for "
                  "non-preemptible jobs; it stays evictable until it fits",
                  checked.cluster.queue(job.queue).shown_name()));
}

void check_priority_class(const Checked& checked, const Job& job, Warnings& warnings) {
  const auto& classes = checked.cluster.kept().all<PriorityClassObject>();
  if (job.priority_class.empty() || classes.contains(job.priority_class)) return;
  std::vector<std::string_view> known{"train", "build-preemptible", "build", "inference"};
  for (const auto& [name, object] : classes) known.push_back(name);
  warnings.add("PodGroup " + job.full_name(), "spec.priorityClassName",
               fmt::format("PriorityClass \"{}\" is not {}; using priority {}{}", job.priority_class,
                           checked.where, job.priority, did_you_mean(job.priority_class, known)));
}

// Finds topologies and levels that a job or sub group names but that do not exist.
void check_topology(const Checked& checked, const Job& job, const std::string& field,
                    const TopologyConstraint& constraint, Warnings& warnings) {
  if (constraint.topology.empty()) return;
  const std::string object = "PodGroup " + job.full_name();
  const TopologyTree* tree = checked.cluster.topology(constraint.topology);
  if (tree == nullptr)
    return warnings.add(object, field,
                        fmt::format("topology \"{}\" is not {}", constraint.topology, checked.where));
  for (const std::string& level : {constraint.required, constraint.preferred})
    if (!level.empty() && !tree->level(level))
      warnings.add(object, field,
                   fmt::format("topology \"{}\" has no level \"{}\"", constraint.topology, level));
  if (constraint.required.empty() && constraint.preferred.empty())
    warnings.add(object, field,
                 fmt::format("names no level of topology \"{}\": the job cannot run", tree->name()));
}

void check_topologies(const Checked& checked, const Job& job, Warnings& warnings) {
  check_topology(checked, job, "spec.topologyConstraint", job.sets[0].topology, warnings);
  for (std::size_t i = 1; i < job.sets.size(); ++i)
    check_topology(checked, job, "spec.subGroups", job.sets[i].topology, warnings);
  for (const PodSet& set : job.pod_sets)
    check_topology(checked, job, "spec.subGroups", set.topology, warnings);
}

}  // namespace

void check_job(const Checked& checked, const Job& job, Warnings& warnings) {
  if (!job.present) return;
  check_queue(checked, job, warnings);
  check_preemptibility(checked, job, warnings);
  check_priority_class(checked, job, warnings);
  check_topologies(checked, job, warnings);
}

}  // namespace muster::checks
