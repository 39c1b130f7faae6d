// Changes to a cluster that somebody might make: what `what-if` is asked about and what `explain` finds to
// help. One table (change.cpp) has a row per kind.
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
  kPodSize,        // GPUs of each pod that waits
  kTopologyLevel,  // the required one of the job as a whole
  kNodeLabel,      // an entry of the node selector of its pods, "key=value"; to "": it is left out
  kToleration,     // of its pods, as a taint is written
  kAddNodes,       // target: the node they are like, or "gpus=8,cpu=96,memory=1Ti"
  kDrainNode,
  kRemoveNode,
  kDeleteJob,
  kTime,  // to: the instant
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

// "queueQuota", as JSON has it.
std::string_view name_of(ChangeKind kind);
// "cpu", "memory", "gpu"
std::string_view name_of(Accounted resource);
// "queue team-a: GPU quota 4 → 6", for people.
std::string text_of(const Change& change);

// "queue/team-a.gpu.quota=12", "job/ns/name.priority=train"; an error names the nearest field.
Result<Change> parse_setting(std::string_view text);
// "4:like=gpu-1", "2:gpus=8,cpu=96,memory=1Ti"
Result<Change> parse_addition(std::string_view text);

// Changes cluster and clock, and notes where it changed from. An error where there is no such queue, job,
// node, class, or no such value; then nothing is changed. Files are the caller's to read: kSubmit and kConfig
// change nothing here.
Result<void> apply(Change& change, Cluster& cluster, TimePoint& now);

// The jobs that have pods on the node.
std::vector<JobId> jobs_on(const Cluster& cluster, NodeId node);
// GPUs that each pod of the job that waits asks for; nothing where they differ, share devices or ask in
// several containers.
std::optional<std::int64_t> gpus_per_pod(const Cluster& cluster, JobId job);

}  // namespace muster::answers
