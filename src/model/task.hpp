// A task (pod): what never changes while it exists, what the source last observed, and its placement.
#pragma once

#include <optional>
#include <string>

#include "model/ids.hpp"
#include "model/objects.hpp"
#include "model/status.hpp"

namespace muster {

struct Observed {
  PodPhase phase = PodPhase::kPending;
  bool gated = false;
  std::optional<TimePoint> deletion;
  NodeId node;
  HoldingId holding;
};

struct Task {
  std::string ns, name, uid;
  TimePoint created{};
  JobId job;    // not valid if it belongs to no PodGroup
  JobId group;  // the PodGroup that it names; differs from `job` if it counts as a job of its own
  std::uint32_t pod_set = kNoSet;  // index in the job
  ShapeId shape;
  LabelSetId labels;
  std::string sub_group;
  NodeId nominated;
  std::optional<std::string> task_priority;
  std::string preemptibility;
  std::string container_claim;  // named in the pod's status; "" if none yet
  OwnerId owner;
  std::string last_queue;  // the queue it was charged to when it was bound; "" if unknown
  bool leads_kubeflow = false, leads_ray = false;
  bool foreign = false;         // of another scheduler: not charged to our queues
  bool is_ours = false;         // names our scheduler and is not one of its helper pods
  bool is_reservation = false;  // reserves a shared GPU: the GPU is not charged to it
  bool stays_terminating = false;
  bool alive = true;  // false if the id is free
  Observed observed;

  static constexpr std::uint32_t kNoSet = 0xFFFFFFFF;
  bool in_job() const { return job.valid() && pod_set != kNoSet; }
  // Whether it is a pod for this scheduler to place. What is typical of the cluster is learned from these
  // pods.
  bool is_workload() const { return shape.valid() && !foreign && !is_reservation; }
  std::string full_name() const { return ns + "/" + name; }
};

// Everything that scheduling can change about a task.
struct Placement {
  TaskStatus status = TaskStatus::kPending;
  // Evicted by an uncommitted statement: may be placed again in the same scenario.
  bool virtually_evicted = false;
  // Evicted when it was only pipelined: it holds nothing that could be released.
  bool was_only_pipelined = false;
  NodeId node;
  HoldingId holding;  // on `node`
  // A moved task is pipelined on `node` and still being released on the node that it leaves.
  NodeId source;
  HoldingId source_holding;
  // The earlier target of a task that was moved a second time: counts as releasing until the end of the
  // cycle.
  NodeId via;
  HoldingId via_holding;

  bool operator==(const Placement&) const = default;
};

// Visits the nodes on which other tasks see this one: the node it is on or nominated to, even when
// terminating or evicted, and the node it leaves. An eviction and its undo therefore change nothing here.
template <class Visit>
void for_each_place(const Placement& at, Visit visit) {
  if (!at.node.valid() || !in(at.status, kActiveUsed)) return;
  visit(at.node);
  if (at.source.valid() && at.source != at.node) visit(at.source);
}

inline bool same_places(const Placement& a, const Placement& b) {
  return in(a.status, kActiveUsed) == in(b.status, kActiveUsed) && a.node == b.node && a.source == b.source;
}

}  // namespace muster
