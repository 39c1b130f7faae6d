// What consolidation, requeue, reclaim and preempt have in common: gates that come before any search, the
// search, and what is said about it. actions.md 8.1.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "engine/order/waiting_jobs.hpp"
#include "engine/search/failed_jobs.hpp"
#include "engine/search/proofs.hpp"
#include "engine/search/solver.hpp"

namespace muster {

// Room for whom, from whom, by which rules.
struct Purpose {
  JobId contender;
  Candidates candidates;
  ScenarioValidator valid;
  std::function<std::string_view(JobId)> ground;  // what allows the eviction of a victim
  // Time changes who may be taken without a word of until when: what a search found holds for one cycle only.
  bool depends_on_time = false;
  // Asked when a solution stands; false: it is shown, not carried out.
  std::function<bool()> commits = [] { return true; };
};

// Lives as long as an action runs.
class RoomMaker {
 public:
  RoomMaker(Session& session, const char* action) : RoomMaker(session, action, nullptr, Line::kContender) {}
  // With victims of its own choice.
  RoomMaker(Session& session, const char* action, std::unique_ptr<VictimPool> pool, Line line);
  ~RoomMaker();
  RoomMaker(const RoomMaker&) = delete;
  RoomMaker& operator=(const RoomMaker&) = delete;

  // Tells the user, and returns true, where no search is worth it: one of the tasks to be placed is refused
  // for a reason that no eviction can change.
  bool report_if_hopeless(JobId contender);
  // Likewise where a like job of the pool that asks for no more failed before.
  bool report_if_covered(const FailedJobs& failed, QueueId pool, JobId contender);

  // Likewise where the action's steps are used up, or the job had its turn and others have not: it is put off
  // to the next cycle.
  bool report_if_put_off(JobId contender);

  // Runs the search and commits what it found, with a receipt for each eviction; or reports what was tried.
  Outcome make_room(const Purpose& purpose);

  Solver& solver() { return solver_; }

 private:
  bool is_as_before(const Purpose& purpose);
  void remember(const Purpose& purpose, const SearchReport& report);
  void report(const Purpose& purpose, SearchEnd end, std::optional<JobReason> proof);
  void name_moments(const SearchReport& report, SearchEnd end);
  void report_protected(JobId contender, const std::vector<SparedJobs>& spared, bool was_searched);
  void remember_queues();
  void write_receipts(const Purpose& purpose, std::size_t first) const;
  void pass_on_receipts(const Purpose& purpose, std::size_t before, const QueueStand& ours) const;
  bool has_new_place(JobId job) const;
  QueueStand stand(JobId job) const;

  Session& session_;
  const char* const action_;
  Solver solver_;
  Proofs proofs_;
  std::vector<JobId> turns_;        // who was tried
  bool some_are_left_ = false;      // who had no turn in this round
  IdVector<QueueId, Shares> held_;  // before the search at hand
};

// A job that left its place for the contender, which got none of it, left in vain: once is enough, or the two
// could go on for ever. One that is still leaving has not left in vain yet. docs/fairness.md.
std::optional<VictimRefusal> taken_before(const Session& session, JobId victim, JobId contender);

}  // namespace muster
