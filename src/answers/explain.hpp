// Why a job waits, runs where it runs, or was evicted; computed by the engine itself.
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

// Who is served before the job, and by which rule: "priority", "share", "age" or "elastic".
struct Ahead {
  JobId job;
  std::string_view rule;
};
struct Line {
  std::size_t in_queue = 0, overall = 0;  // from 1; 0: does not stand in line
  std::vector<Ahead> ahead;
};

// Nodes that refuse a pod of the job for the same thing.
struct RefusingNodes {
  std::int64_t count = 0;
  NodeRefusal refusal;
  std::vector<std::string> examples;
};
struct ClosestNode {
  NodeId node;
  std::string lacks;
};

// What a decision to evict the job said, or its annotation.
struct Receipt {
  std::string at, action, by_job, rule;  // by_job: for whom; "" where for nobody
  std::vector<std::string> pods;
  std::optional<double> runtime_lost_seconds;
  std::vector<std::string> alternatives;  // jobs that rules would have allowed instead, some of them
};

// A place that a pod of the job has, and what speaks for it.
struct ScoreTerm {
  std::string plugin;
  double score = 0;
};
struct Stand {
  TaskId task;
  NodeId node;
  std::vector<ScoreTerm> terms;
  std::string next_best;  // the node that would come next; "": none
  std::vector<ScoreTerm> next_terms;
};
struct Taker {
  JobId job;
  std::string action, rule;  // rule: why not yet; "": it may
  std::optional<TimePoint> until;
};
struct Running {
  std::vector<Stand> stands;
  std::size_t more_stands = 0;  // pods whose places are not looked at
  bool may_lose_pods = false;
  std::vector<Taker> takers;
  std::optional<TimePoint> protected_until;
};

// When a simulation that was recorded has the job start next; nothing: not before the record ends.
struct RecordedStart {
  std::optional<TimePoint> at;
};

struct Explanation {
  JobId job;
  JobState state = JobState::kUnknown;
  std::optional<TimePoint> since;
  bool is_placed_now = false;  // by the first cycle on the state
  bool has_place_in_view = false;
  bool wants_more_pods = false;  // some have no place after that cycle
  Line line;
  WaitingJob waiting;  // reasons and searches of the first cycle on the state
  std::vector<RefusingNodes> nodes;
  std::vector<ClosestNode> closest;
  std::optional<Helps> helps;
  std::optional<StartEstimate> start;
  std::optional<RecordedStart> recorded_start;
  std::optional<Receipt> receipt;
  std::optional<Running> running;
};

struct ExplainOptions {
  bool is_quick = false;      // without what would help and when it starts
  bool plays_futures = true;  // else somebody knows when it starts
  // For what would help; nothing: two seconds, and where there are thousands of jobs as much as keeps the
  // whole answer below one.
  std::optional<Duration> time = {};
  int threads = 1;  // that play futures
};

Explanation explain(const State& state, JobId job, const ExplainOptions& options = {});

}  // namespace muster::answers
