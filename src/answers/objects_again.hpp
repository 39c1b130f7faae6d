// Objects of the API from what the model made of them, so that a change can be applied like any other delta.
#pragma once

#include "model/cluster.hpp"

namespace muster::answers {

// Applying it again changes nothing.
PodGroupObject pod_group_of(const Cluster& cluster, JobId job);
// Likewise.
NodeObject node_object_of(const Cluster& cluster, NodeId node);
// What the pod asks for and where it may go; nothing else of it.
PodObject asks_of(const Cluster& cluster, TaskId task);

}  // namespace muster::answers
