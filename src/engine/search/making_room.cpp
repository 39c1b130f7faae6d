// What the actions that make room have in common.
#include "engine/search/making_room.hpp"

namespace muster {

bool is_hopeless(Session& s, JobId contender) {
  const Chunk chunk = s.chunk(contender, true);
  for (TaskId t : chunk.tasks)
    if (auto refusal = s.hooks.hopeless(t)) {
      s.waits(contender, std::move(*refusal));
      return true;
    }
  return false;
}

namespace {

void report(Session& s, Solver& solver, const Purpose& purpose, SearchEnd end,
            std::optional<JobReason> proof) {
  SearchReport report{.action = purpose.action, .end = end};
  report.spared = spared_jobs(solver.pool(), purpose.candidates, report.candidates);
  if (end != SearchEnd::kProven) {
    report.scenarios = solver.scenarios();
    report.last_failure = solver.last_failure();
  }
  if (proof && proof->rule == JobRule::kTooLittleToFree) proof->spared = report.spared;
  const bool nobody_runs = report.candidates == 0 && report.spared.empty();
  if (proof && !nobody_runs) s.adds_reason(purpose.contender, std::move(*proof));
  if (end == SearchEnd::kCutShort)
    s.adds_reason(purpose.contender, {.rule = JobRule::kSearchUnresolved,
                                      .needed = static_cast<std::int32_t>(solver.scenarios())});
  if (!nobody_runs) s.searched_in_vain(purpose.contender, std::move(report));
}

class Receipts {
 public:
  Receipts(Session& s, const Purpose& purpose, std::vector<Shares>& held)
      : s_(s), purpose_(purpose), first_(s.decisions.evictions.size()), held_(held) {
    held_.clear();
    for (QueueId q : ids(s.cluster.queues())) held_.push_back(s.cluster.use(q).allocated.shares());
  }
  // For every eviction since.
  void write() const {
    const QueueStand ours = stand(purpose_.contender);
    for (std::size_t i = first_; i < s_.decisions.evictions.size(); ++i) {
      EvictDecision& e = s_.decisions.evictions[i];
      const JobId victim = s_.cluster.task(e.task).job;
      if (s_.settings.differences.take_once) s_.cluster.taken_for(purpose_.contender, victim);
      e.rule = purpose_.ground(victim);
      e.victim_queue = stand(victim);
      e.contender_queue = ours;
      if (const auto& start = s_.cluster.job(victim).last_start) e.runtime_lost = s_.now - *start;
    }
  }

 private:
  QueueStand stand(JobId job) const {
    const QueueId q = s_.cluster.job(job).queue;
    QueueStand stand{.queue = q, .held = held_[q.index()]};
    if (s_.hooks.fair_share) stand.fair_share = s_.hooks.fair_share(q);
    for (Accounted r : kAccounted) stand.quota[index(r)] = s_.cluster.queue(q).of(r).quota;
    return stand;
  }

  Session& s_;
  const Purpose& purpose_;
  const std::size_t first_;
  std::vector<Shares>& held_;  // by queue, before anything happens
};

}  // namespace

Outcome make_room(Session& s, Solver& solver, const Purpose& purpose) {
  ++s.stats.jobs_tried;
  if (s.settings.prove_hopeless)
    if (auto proof = proven_hopeless(s, solver, purpose.contender, purpose.candidates, purpose.bounded)) {
      report(s, solver, purpose, SearchEnd::kProven, std::move(proof));
      return Outcome::kNoSolution;
    }
  const Receipts receipts(s, purpose, solver.scratch_shares());
  Statement st(s);
  const Outcome outcome = solver.solve(st, purpose.contender, purpose.candidates, purpose.valid);
  if (outcome == Outcome::kSolved && purpose.commits()) {
    st.commit(purpose.action, purpose.contender);
    solver.committed(purpose.contender);
    receipts.write();
  } else if (outcome != Outcome::kSolved) {
    const bool is_cut = outcome == Outcome::kCutShort || outcome == Outcome::kOutOfTime;
    report(s, solver, purpose, is_cut ? SearchEnd::kCutShort : SearchEnd::kNoScenario, std::nullopt);
  }
  return outcome;
}

std::optional<VictimRefusal> taken_before(const Session& s, JobId victim, JobId contender) {
  const bool was_taken = s.cluster.job(contender).taken_for_it.contains(s.cluster.job(victim).uid);
  if (!s.settings.differences.take_once || !was_taken) return std::nullopt;
  return VictimRefusal{.rule = "left its place for it before, in vain"};
}

bool is_covered(Session& s, const FailedJobs& failed, QueueId pool, JobId contender, const char* action) {
  const JobId like = failed.covering(pool, contender);
  if (like.valid())
    s.searched_in_vain(contender, {.action = action, .end = SearchEnd::kLikeJob, .like = like});
  return like.valid();
}

}  // namespace muster
