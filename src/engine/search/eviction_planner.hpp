// The common part of consolidation, requeue, reclaim and preempt: checks before any search, the search, and
// the report about it. actions.md 8.1.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "engine/order/waiting_jobs.hpp"
#include "engine/search/failed_jobs.hpp"
#include "engine/search/proofs.hpp"
#include "engine/search/solver.hpp"

namespace muster {

// The job to make room for, the candidates for eviction, and the rules.
struct Purpose {
  JobId preemptor;
  Candidates candidates;
  ScenarioCheck refusal;
  std::function<std::string_view(JobId)> ground;  // the rule that allows the eviction of a victim
  // Judges a solution once victims that it does not need are given back. If it refuses, the search starts
  // again and asks it about every scenario.
  ScenarioCheck solution_refusal = {};
  // Whether the candidates may change as time passes, at a time that is not known in advance. The result of a
  // search then holds for one cycle only.
  bool depends_on_time = false;
  // Called when there is a solution. False: it is reported but not carried out.
  std::function<bool()> commits = [] { return true; };
};

// Lives as long as an action runs.
class EvictionPlanner {
 public:
  EvictionPlanner(Session& session, const char* action)
      : EvictionPlanner(session, action, nullptr, Line::kPreemptor) {}
  // Uses this pool of victims.
  EvictionPlanner(Session& session, const char* action, std::unique_ptr<VictimPool> pool, Line line);
  ~EvictionPlanner();
  EvictionPlanner(const EvictionPlanner&) = delete;
  EvictionPlanner& operator=(const EvictionPlanner&) = delete;

  // If a task to be placed is refused for a reason that no eviction can change, reports that and returns
  // true.
  bool report_if_hopeless(JobId preemptor);
  // Likewise if a similar job of the pool that requests no more has failed before.
  bool report_if_covered(const FailedJobs& failed, QueueId pool, JobId preemptor);

  // Likewise if the action has no steps left, or if the job has had a turn that other jobs still wait for.
  // The job is then postponed to the next cycle.
  bool report_if_put_off(JobId preemptor);

  // Runs the search and commits the result with a record for each eviction, or reports what was tried.
  Outcome make_room(const Purpose& purpose);

  Solver& solver() { return solver_; }

 private:
  bool fits_in_freed_room(JobId preemptor);
  Outcome search(Statement& statement, const Purpose& purpose);
  std::optional<VictimRefusal> solution_refusal(const Purpose& purpose);
  bool is_as_before(const Purpose& purpose);
  void remember(const Purpose& purpose, const SearchReport& report);
  void report(const Purpose& purpose, SearchEnd end, std::optional<JobReason> proof);
  void set_wake_times(const SearchReport& report, SearchEnd end);
  void report_protected(JobId preemptor, const std::vector<NotEvictableJobs>& spared, bool was_searched);
  void remember_queues();
  void write_records(const Purpose& purpose, std::size_t first) const;
  void pass_on_records(const Purpose& purpose, std::size_t before, const QueueSnapshot& ours) const;
  bool is_nominated_to(JobId job, NodeId node) const;
  QueueSnapshot queue_snapshot(JobId job) const;

  Session& session_;
  const char* const action_;
  const Line line_;
  Solver solver_;
  Proofs proofs_;
  std::vector<JobId> tried_;        // jobs tried in this cycle
  bool some_are_left_ = false;      // some jobs had no turn in this round
  IdVector<QueueId, Shares> held_;  // use of each queue before the current search
};

// Refuses a job that was already evicted for the preemptor without success: the preemptor could not use any
// of the room. Otherwise, the two could alternate forever. A job that is still terminating is not refused
// yet. docs/fairness.md.
std::optional<VictimRefusal> was_displaced_before(const Session& session, JobId victim, JobId preemptor);
// Why reclaim may take nothing of the victim, or may not carry out the scenario; nullopt if it may.
std::optional<VictimRefusal> reclaim_refusal(const Session& session, JobId victim, JobId preemptor);
std::optional<VictimRefusal> reclaim_refusal(const Session& session, const Scenario& scenario);

}  // namespace muster
