// The effect of each kind of change on a cluster: one function per kind, for the table in change.cpp.
#pragma once

#include "answers/change.hpp"

namespace muster::answers {

inline constexpr int kMostAddedNodes = 10'000;

Result<void> set_queue_amount(Change& change, Cluster& cluster, TimePoint& now);
Result<void> set_queue_priority(Change& change, Cluster& cluster, TimePoint& now);
Result<void> set_queue_runtime(Change& change, Cluster& cluster, TimePoint& now);
Result<void> set_queue_parent(Change& change, Cluster& cluster, TimePoint& now);

Result<void> set_job_priority(Change& change, Cluster& cluster, TimePoint& now);
Result<void> set_job_preemptibility(Change& change, Cluster& cluster, TimePoint& now);
Result<void> set_job_minimum(Change& change, Cluster& cluster, TimePoint& now);
Result<void> set_job_queue(Change& change, Cluster& cluster, TimePoint& now);
Result<void> set_topology_level(Change& change, Cluster& cluster, TimePoint& now);
Result<void> set_pod_size(Change& change, Cluster& cluster, TimePoint& now);
Result<void> set_node_label(Change& change, Cluster& cluster, TimePoint& now);
Result<void> add_toleration(Change& change, Cluster& cluster, TimePoint& now);
Result<void> delete_job(Change& change, Cluster& cluster, TimePoint& now);

Result<void> add_nodes(Change& change, Cluster& cluster, TimePoint& now);
Result<void> drain_node(Change& change, Cluster& cluster, TimePoint& now);
Result<void> remove_node(Change& change, Cluster& cluster, TimePoint& now);

// An error suggests the nearest name.
Result<QueueId> queue_named(const Cluster& cluster, std::string_view name);
Result<NodeId> node_named(const Cluster& cluster, std::string_view name);

}  // namespace muster::answers
