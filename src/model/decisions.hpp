// The decisions of a cycle. The caller carries them out.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/ids.hpp"
#include "model/reasons.hpp"
#include "model/requeue_record.hpp"
#include "model/search_report.hpp"
#include "model/task.hpp"

namespace muster {

struct BindDecision {
  TaskId task;
  NodeId node;
  HoldingId holding;
};

// The state of a leaf queue just before a decision: what it used and what it is entitled to.
struct QueueSnapshot {
  QueueId queue;
  Shares held{}, fair_share{}, quota{};
};

struct EvictDecision {
  TaskId task;
  std::string action;
  JobId preemptor;   // the job that room was made for; not valid for stale gangs
  std::string rule;  // the rule that allowed the eviction
  QueueSnapshot victim_queue, preemptor_queue;
  std::optional<Duration> runtime_lost;  // since the job's last start; nullopt if that is unknown
};

struct PipelineDecision {
  TaskId task;
  NodeId node;
  HoldingId holding;
};

// Annotations to write to a PodGroup; nullopt removes one.
struct PatchDecision {
  JobId job;
  std::map<std::string, std::optional<std::string>> annotations;
};

struct WaitingJob {
  JobId job;
  std::vector<JobReason> reasons;
  std::vector<SearchReport> searches;  // searches that made no room for it, one per action
};

struct ActionStats {
  std::string action;
  double milliseconds = 0;
  std::int64_t jobs_tried = 0, nodes_tried = 0, scenarios_simulated = 0;
  std::int64_t steps = 0;  // jobs, queues and nodes that searches examined
};

// The share that a queue was entitled to in the cycle, for tables and metrics.
struct QueueShare {
  QueueId queue;
  Shares fair_share{}, allocated{}, requested{};
};

// The unused GPUs of a node, and how many of them a typical pod cannot use: the mean over the pods of the
// cluster.
struct FreeGpus {
  double free = 0, fragmented = 0;
};
struct NodeFragments {
  NodeId node;
  FreeGpus gpus;
};

struct Decisions {
  std::vector<BindDecision> binds;
  std::vector<EvictDecision> evictions;
  std::vector<PipelineDecision> pipelined;
  std::vector<PatchDecision> patches;
  std::vector<WaitingJob> waiting;  // by namespace, then name
  std::vector<QueueShare> shares;   // in depth-first order
  std::vector<ActionStats> actions;
  // Nodes with GPUs, by name; empty unless the plugin fragmentation is enabled.
  std::vector<NodeFragments> fragments;
  std::optional<RequeueRecord> requeue;  // set if the action is enabled
  // The next time at which decisions may change even if nothing else changes: a protection, grace period or
  // delay ends. Nullopt if there is none.
  std::optional<TimePoint> next_deadline;
  bool is_unfinished = false;  // a search ended early at a limit; the next cycle continues it
  double open_milliseconds = 0;
};

}  // namespace muster
