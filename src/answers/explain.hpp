// Explains why a job is pending, why it runs on its nodes, or why it was evicted. Scheduling itself computes
// the answers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "answers/start_estimate.hpp"
#include "answers/state.hpp"
#include "answers/would_help.hpp"
#include "model/reasons.hpp"

namespace muster::answers {

enum class JobState : std::uint8_t { kWaiting, kRunning, kEvicted, kFinished, kUnknown };
std::string_view name_of(JobState state);

// A job served before this one, and the rule that puts it there: "priority", "share", "age" or "elastic".
struct Ahead {
  JobId job;
  std::string_view rule;
};
struct Line {
  std::size_t in_queue = 0, overall = 0;  // positions from 1; 0: not in the queue
  std::vector<Ahead> ahead;
};

// Nodes that refuse a pod of the job for the same reason.
struct RefusingNodes {
  std::int64_t count = 0;
  NodeRefusal refusal;
  std::vector<std::string> examples;
};
struct ClosestNode {
  NodeId node;
  std::string lacks;
};

// The eviction record of the job, from this cycle's decision or from its annotation.
struct EvictionRecord {
  std::string at, action, by_job, rule;  // by_job: the preemptor; "" if there is none
  std::vector<std::string> pods;
  std::optional<double> runtime_lost_seconds;
  std::vector<std::string>
      alternatives;  // some of the jobs that the rules would have allowed to evict instead
};

// One term of the score of a pod's place.
struct ScoreTerm {
  std::string plugin;
  double score = 0;
};
struct PlacedPod {
  TaskId task;
  NodeId node;
  std::vector<ScoreTerm> terms;
  std::string next_best;  // the node with the next best score; "": none
  std::vector<ScoreTerm> next_terms;
};
struct Preemptor {
  JobId job;
  std::string action, rule;  // rule: what protects the running job; "": nothing
  std::optional<TimePoint> until;
};
struct Running {
  std::vector<PlacedPod> placed_pods;
  std::size_t more_placed_pods = 0;  // pods whose places are not scored
  bool may_lose_pods = false;
  std::vector<Preemptor> preemptors;
  std::optional<TimePoint> protected_until;
};

// When a recorded simulation starts the job next; nothing: not before the record ends.
struct RecordedStart {
  std::optional<TimePoint> at;
};

struct Explanation {
  JobId job;
  JobState state = JobState::kUnknown;
  std::optional<TimePoint> since;
  bool is_placed_now = false;  // in the first cycle on the state
  bool is_nominated = false;
  bool wants_more_pods = false;  // some are not placed after that cycle
  Line line;
  WaitingJob waiting;  // reasons and searches of the first cycle on the state
  std::vector<RefusingNodes> nodes;
  std::vector<ClosestNode> closest;
  std::optional<Helps> helps;
  std::optional<StartEstimate> start;
  std::optional<RecordedStart> recorded_start;
  std::optional<EvictionRecord> receipt;
  std::optional<Running> running;
};

struct ExplainOptions {
  bool is_quick = false;      // without suggested changes and start estimate
  bool plays_futures = true;  // false if the start is already known
  // Time limit of the suggested changes. The default is two seconds; with thousands of jobs, less, so that
  // the whole answer takes less than a second.
  std::optional<Duration> time = {};
  int threads = 1;  // for the simulated futures
};

Explanation explain(const State& state, JobId job, const ExplainOptions& options = {});

}  // namespace muster::answers
