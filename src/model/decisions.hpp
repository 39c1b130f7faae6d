// What a cycle decided, for whoever carries it out.
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

// A leaf queue just before a decision: what it held, and what it is entitled to.
struct QueueStand {
  QueueId queue;
  Shares held{}, fair_share{}, quota{};
};

struct EvictDecision {
  TaskId task;
  std::string action;
  JobId contender;   // the job it was done for; not valid for stale gangs
  std::string rule;  // that allowed it
  QueueStand victim_queue, contender_queue;
  std::optional<Duration> runtime_lost;  // since the job's last start; absent: not known
};

struct PipelineDecision {
  TaskId task;
  NodeId node;
  HoldingId holding;
};

// Annotations of a PodGroup to be written; nothing: to be removed.
struct PatchDecision {
  JobId job;
  std::map<std::string, std::optional<std::string>> annotations;
};

struct WaitingJob {
  JobId job;
  std::vector<JobReason> reasons;
  std::vector<SearchReport> searches;  // that made no room for it, by action
};

struct ActionStats {
  std::string action;
  double milliseconds = 0;
  std::int64_t jobs_tried = 0, nodes_tried = 0, scenarios_simulated = 0;
  std::int64_t steps = 0;  // jobs, queues and nodes that searches looked at
};

// What a queue was entitled to in the cycle, for tables and metrics.
struct QueueShare {
  QueueId queue;
  Shares fair_share{}, allocated{}, requested{};
};

// GPUs of a node that nobody holds, and those of them that are of no use to a typical pod: the mean over the
// pods of the cluster.
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
  std::vector<WaitingJob> waiting;  // by job order of the cycle's end: namespace, name
  std::vector<QueueShare> shares;   // depth first
  std::vector<ActionStats> actions;
  // By name, of nodes with GPUs; nothing where the plugin fragmentation is not at work.
  std::vector<NodeFragments> fragments;
  std::optional<RequeueRecord> requeue;  // where the action is on
  // When time alone may change what is decided: a protection, a grace or a delay is over. Nothing: never.
  std::optional<TimePoint> next_moment;
  bool is_unfinished = false;  // a limit cut something short: the next cycle goes on from there
  double open_milliseconds = 0;
};

}  // namespace muster
