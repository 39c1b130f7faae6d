// A task (pod): what never changes while it exists, what the source last saw of it, and where it stands.
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
  JobId job;                       // not valid: belongs to no PodGroup
  JobId group;                     // the PodGroup that it names; another than `job` where it counts alone
  std::uint32_t pod_set = kNoSet;  // in the job
  ShapeId shape;
  LabelSetId labels;
  std::string sub_group;
  NodeId nominated;
  std::optional<std::string> task_priority;
  std::string preemptibility;
  std::string container_claim;  // that the pod says it has; "": none yet
  OwnerId owner;
  std::string last_queue;  // that it was charged to when it was bound; "": not known
  bool leads_kubeflow = false, leads_ray = false;
  bool foreign = false;         // of another scheduler: its use is not for our queues to divide
  bool is_ours = false;         // names our scheduler and is none of its own helpers
  bool is_reservation = false;  // holds a shared GPU's slot: its GPU is not charged
  bool stays_terminating = false;
  bool alive = true;  // false: the id is free
  Observed observed;

  static constexpr std::uint32_t kNoSet = 0xFFFFFFFF;
  bool in_job() const { return job.valid() && pod_set != kNoSet; }
  // A pod that somebody wants us to place: what is typical of the cluster is learnt from these.
  bool is_workload() const { return shape.valid() && !foreign && !is_reservation; }
  std::string full_name() const { return ns + "/" + name; }
};

// All that scheduling can change about a task.
struct Placement {
  TaskStatus status = TaskStatus::kPending;
  // Evicted by a statement that is not committed: may be placed again in the same scenario.
  bool virtually_evicted = false;
  // Evicted when it was only pipelined: what it releases it never held.
  bool never_stood = false;
  NodeId node;
  HoldingId holding;  // of `node`
  // A moved task is pipelined on `node` and still being released on the node it leaves.
  NodeId leaving;
  HoldingId leaving_holding;
  // Where it was to move before that was undone by yet another move: counted as releasing to the cycle's end.
  NodeId passing;
  HoldingId passing_holding;

  bool operator==(const Placement&) const = default;
};

// The nodes on which others see the task: where it stands or will stand, terminating and evicted ones
// included, and the node that it leaves. So an eviction changes nothing here, and its undo neither.
template <class Visit>
void for_each_place(const Placement& at, Visit visit) {
  if (!at.node.valid() || !in(at.status, kActiveUsed)) return;
  visit(at.node);
  if (at.leaving.valid() && at.leaving != at.node) visit(at.leaving);
}

inline bool same_places(const Placement& a, const Placement& b) {
  return in(a.status, kActiveUsed) == in(b.status, kActiveUsed) && a.node == b.node && a.leaving == b.leaving;
}

}  // namespace muster
