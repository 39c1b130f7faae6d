// Converts field by field from model to object. Fields that the model does not keep have their defaults.
#include "answers/api_objects.hpp"

#include <algorithm>

#include "util/keys.hpp"

namespace muster::answers {
namespace {

// The labels that put an object into the node pool of the cluster.
Labels labels_of_pool(const ClusterOptions& options) {
  if (options.node_pool_label.empty() || options.node_pool.empty()) return {};
  return {{options.node_pool_label, options.node_pool}};
}

std::string name_of_set(const Job& job, std::uint32_t set) { return job.sets[set].name; }

void add_sub_groups(const Job& job, PodGroupObject& object) {
  const bool is_plain = job.sets.size() == 1 && job.pod_sets.size() == 1 &&
                        job.pod_sets.front().name == "default" &&
                        job.pod_sets.front().topology == TopologyConstraint{};
  if (is_plain) {
    object.min_member = job.pod_sets.front().declared;
    return;
  }
  const auto add = [&](const auto& add_below, std::uint32_t set) -> void {
    for (const Member& m : job.sets[set].members) {
      if (m.is_pod_set) {
        const PodSet& p = job.pod_sets[m.at];
        object.sub_groups.push_back({.name = p.name,
                                     .parent = name_of_set(job, set),
                                     .min_member = p.declared,
                                     .min_sub_group = {},
                                     .topology = p.topology});
        continue;
      }
      const GroupSet& below = job.sets[m.at];
      object.sub_groups.push_back({.name = below.name,
                                   .parent = name_of_set(job, set),
                                   .min_member = {},
                                   .min_sub_group = below.min_sub_group,
                                   .topology = below.topology});
      add_below(add_below, m.at);
    }
  };
  add(add, 0);
}

}  // namespace

PodGroupObject pod_group_of(const Cluster& cluster, JobId id) {
  const Job& job = cluster.job(id);
  PodGroupObject object;
  object.meta = {.ns = job.ns,
                 .name = job.name,
                 .uid = job.uid,
                 .created = job.created,
                 .labels = labels_of_pool(cluster.options())};
  if (!job.user.empty()) object.meta.labels.emplace_back(keys::kUser, job.user);
  object.told_preemptibility = job.told_preemptibility;
  object.last_queue = job.told_queue;
  object.queue = job.queue_name;
  object.priority_class = job.priority_class;
  object.preemptibility = job.preemptibility_spec;
  object.min_sub_group = job.sets.front().min_sub_group;
  object.topology = job.sets.front().topology;
  object.preemption_delay = job.preemption_delay;
  object.staleness_grace = job.staleness_grace;
  object.mark_unschedulable = job.mark_unschedulable;
  object.last_start = job.last_start;
  object.last_eviction = job.last_eviction;
  object.stale_since = job.stale_since;
  object.eviction_receipt = job.eviction_receipt;
  object.expected_runtime = job.expected_runtime;
  object.requeue_delay = job.requeue_delay;
  object.requeue_not_before = job.requeue_not_before;
  if (job.requeued_at) object.requeued_at = format_time(*job.requeued_at);
  object.stays_terminating = job.stays_terminating;
  if (job.backed_off) {
    object.scheduling_backoff = 1;
    object.unschedulable_node_pool = cluster.options().node_pool;
  }
  add_sub_groups(job, object);
  return object;
}

NodeObject node_object_of(const Cluster& cluster, NodeId id) {
  const Node& node = cluster.node(id);
  NodeObject object;
  object.meta = {
      .ns = "", .name = node.name, .uid = node.name, .created = node.created, .labels = node.labels};
  object.taints = node.taints;
  object.conditions = node;
  for (const Amount& a : node.allocatable)
    object.allocatable.push_back({cluster.kinds().name(a.kind), a.units});
  return object;
}

PodObject asks_of(const Cluster& cluster, TaskId task) {
  const Shape& shape = cluster.shape(cluster.shapes().base_of(cluster.task(task).shape));
  PodObject pod;
  pod.meta.ns = cluster.task(task).ns;
  for (const Amount& a : shape.request)
    if (a.kind != kPods) pod.requests.push_back({cluster.kinds().name(a.kind), a.units});
  std::ranges::sort(pod.requests, {}, &NamedAmount::name);
  pod.gpu = shape.gpu;
  pod.constraints = shape.constraints;
  pod.guaranteed = shape.guaranteed;
  pod.containers = shape.containers;
  return pod;
}

}  // namespace muster::answers
