// Hypothetical changes to a cluster: those that `what-if` evaluates and those that `explain` suggests. The
// table in change.cpp has one row per kind.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "model/cluster.hpp"
#include "util/result.hpp"

namespace muster::answers {

enum class ChangeKind : std::uint8_t {
  kQueueQuota,
  kQueueLimit,
  kQueueWeight,
  kQueuePriority,
  kQueuePreemptMinRuntime,
  kQueueReclaimMinRuntime,
  kQueueParent,
  kJobPriority,
  kJobPreemptibility,
  kJobMinimum,
  kJobQueue,
  kPodSize,        // GPUs of each pending pod
  kTopologyLevel,  // the required level of the job as a whole
  kNodeLabel,      // one entry of the pods' node selector, "key=value"; `to` "" removes it
  kToleration,     // of the pods, in the notation of a taint
  kAddNodes,       // target: an existing node to copy, or "gpus=8,cpu=96,memory=1Ti"
  kDrainNode,
  kRemoveNode,
  kDeleteJob,
  kTime,  // to: the timestamp
  kSubmit,
  kConfig,
};

// Nothing, a number (GPUs, cores, GB, pods, nodes) or a word.
using ChangeValue = std::variant<std::monostate, double, std::string>;

struct Change {
  ChangeKind kind = ChangeKind::kTime;
  std::string target;  // a queue, "namespace/job", a node, a file
  std::optional<Accounted> resource = {};
  ChangeValue from = {}, to = {};
};

// The name in JSON, such as "queueQuota".
std::string_view name_of(ChangeKind kind);
// "cpu", "memory", "gpu"
std::string_view name_of(Accounted resource);
// The text for users, such as "queue team-a: GPU quota 4 → 6".
std::string text_of(const Change& change);

// Parses "queue/team-a.gpu.quota=12" or "job/ns/name.priority=train". An error suggests the nearest field.
Result<Change> parse_setting(std::string_view text);
// Parses "4:like=gpu-1" or "2:gpus=8,cpu=96,memory=1Ti".
Result<Change> parse_addition(std::string_view text);

// Applies the change to the cluster and the clock, and stores the old value in `from`. Returns an error, and
// changes nothing, if the queue, job, node, class or value does not exist. kSubmit and kConfig do nothing
// here: the caller reads their files.
Result<void> apply(Change& change, Cluster& cluster, TimePoint& now);

// The jobs that have pods on the node.
std::vector<JobId> jobs_on(const Cluster& cluster, NodeId node);
// The GPUs that each pending pod of the job requests. Returns nothing if the pods differ, use shares of
// devices, or request GPUs in several containers.
std::optional<std::int64_t> gpus_per_pod(const Cluster& cluster, JobId job);

}  // namespace muster::answers
