// The ids of everything in a cluster.
#pragma once

#include "util/id_vector.hpp"

namespace muster {

using NodeId = Id<struct NodeTag>;
using QueueId = Id<struct QueueTag>;
using JobId = Id<struct JobTag>;          // a PodGroup
using TaskId = Id<struct TaskTag>;        // a pod
using ShapeId = Id<struct ShapeTag>;      // request and constraints, shared by all tasks with the same ones
using GroupId = Id<struct GroupTag>;      // a shared GPU of a node
using HoldingId = Id<struct HoldingTag>;  // what a placement holds besides amounts: model/holding.hpp
using ClaimId = Id<struct ClaimTag>;      // a ResourceClaim
using AllocationId = Id<struct AllocationTag>;  // devices chosen for a claim
using OwnerId = Id<struct OwnerTag>;            // a reference to the object that created a pod
using LabelSetId = Id<struct LabelSetTag>;
using NamespaceId = Id<struct NamespaceTag>;

}  // namespace muster
