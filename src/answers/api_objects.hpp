// Rebuilds API objects from the model, so that a change can be applied like any other update.
#pragma once

#include "model/cluster.hpp"

namespace muster::answers {

// Applying the result again changes nothing.
PodGroupObject pod_group_of(const Cluster& cluster, JobId job);
// Applying the result again changes nothing.
NodeObject node_object_of(const Cluster& cluster, NodeId node);
// A pod with only the requests of the task and its constraints on nodes.
PodObject asks_of(const Cluster& cluster, TaskId task);

}  // namespace muster::answers
