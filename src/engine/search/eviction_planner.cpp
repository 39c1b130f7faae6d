// Tries proofs first, then the search. Ends with a record for each eviction, or with a report.
#include "engine/search/eviction_planner.hpp"

#include <algorithm>
#include <iterator>

#include "engine/place/place_next.hpp"

namespace muster {

EvictionPlanner::EvictionPlanner(Session& session, const char* action, std::unique_ptr<VictimPool> pool,
                                 Line line)
    : session_(session),
      action_(action),
      line_(line),
      solver_(session, action, std::move(pool), line),
      proofs_(session) {
  if (session.memory != nullptr) session.memory->action_begins(action);
}

// When every job has had its turn, the next cycle starts again with the first in the queue order.
EvictionPlanner::~EvictionPlanner() {
  if (session_.memory == nullptr) return;
  if (some_are_left_)
    session_.memory->note_turns(session_, action_, tried_);
  else
    session_.memory->end_round(action_);
}

bool EvictionPlanner::report_if_put_off(JobId preemptor) {
  const bool had_its_turn =
      session_.memory != nullptr && session_.memory->had_its_turn(session_, action_, preemptor);
  const bool has_steps_left = session_.stats.steps < session_.settings.search.steps_per_action;
  if (!had_its_turn && has_steps_left) return tried_.push_back(preemptor), false;
  some_are_left_ = some_are_left_ || !had_its_turn;
  session_.add_reason(preemptor, {.rule = JobRule::kSearchUnresolved});
  session_.decisions.is_unfinished = true;
  return true;
}

bool EvictionPlanner::report_if_hopeless(JobId preemptor) {
  const Chunk chunk = session_.chunk(preemptor);
  for (TaskId t : chunk.tasks)
    if (auto refusal = session_.hooks.hopeless(t)) {
      session_.set_reason(preemptor, std::move(*refusal));
      return true;
    }
  return false;
}

bool EvictionPlanner::report_if_covered(const FailedJobs& failed, QueueId pool, JobId preemptor) {
  const JobId like = failed.covering(pool, preemptor);
  if (like.valid() && session_.counts_refusals(preemptor))
    session_.record_search(preemptor, {.action = action_, .end = SearchEnd::kLikeJob, .like = like});
  return like.valid();
}

Outcome EvictionPlanner::make_room(const Purpose& purpose) {
  ++session_.stats.jobs_tried;
  if (fits_in_freed_room(purpose.preemptor)) return Outcome::kSolved;
  if (session_.settings.prove_hopeless)
    if (auto proof = proofs_.why_impossible(solver_, purpose.preemptor, purpose.candidates)) {
      report(purpose, SearchEnd::kProven, std::move(proof));
      return Outcome::kNoSolution;
    }
  if (is_as_before(purpose)) {
    report(purpose, SearchEnd::kNoScenario, std::nullopt);
    return Outcome::kNoSolution;
  }
  remember_queues();
  const std::size_t first = session_.decisions.evictions.size();
  Statement st(session_);
  const Outcome outcome = search(st, purpose);
  if (outcome == Outcome::kSolved && purpose.commits()) {
    st.commit(action_, purpose.preemptor);
    solver_.note_commit(purpose.preemptor);
    write_records(purpose, first);
  } else if (outcome != Outcome::kSolved) {
    const bool is_cut = outcome == Outcome::kCutShort || outcome == Outcome::kOutOfTime;
    report(purpose, is_cut ? SearchEnd::kCutShort : SearchEnd::kNoScenario, std::nullopt);
  }
  return outcome;
}

Outcome EvictionPlanner::search(Statement& st, const Purpose& purpose) {
  const Outcome outcome = solver_.solve(st, purpose.preemptor, purpose.candidates, purpose.refusal);
  if (outcome != Outcome::kSolved || !purpose.solution_refusal || !solution_refusal(purpose)) return outcome;
  st.rollback(0);
  const ScenarioCheck strict = [&](const Scenario& scenario) {
    auto why = purpose.refusal(scenario);
    return why ? why : purpose.solution_refusal(scenario);
  };
  return solver_.solve(st, purpose.preemptor, purpose.candidates, strict);
}

std::optional<VictimRefusal> EvictionPlanner::solution_refusal(const Purpose& purpose) {
  std::vector<Scenario::Victim> victims;
  for (TaskId t : solver_.taken())
    if (const JobId job = session_.cluster.task(t).job;
        std::ranges::find(victims, job, &Scenario::Victim::job) == victims.end())
      victims.push_back({.job = job, .tasks = {}});
  return purpose.solution_refusal(
      {.preemptor = purpose.preemptor, .preemptor_tasks = {}, .victims = victims});
}

// Uses what earlier evictions of this cycle freed and their preemptors did not need.
bool EvictionPlanner::fits_in_freed_room(JobId preemptor) {
  if (!session_.settings.compatibility.settled_plans || line_ == Line::kAll) return false;
  if (session_.decisions.evictions.empty() || !is_ready(session_.cluster.job(preemptor))) return false;
  if (place_next(session_, action_, preemptor)) return false;
  solver_.note_commit(preemptor);
  return true;
}

// A failed search is not repeated until something it depends on has changed.
bool EvictionPlanner::is_as_before(const Purpose& purpose) {
  if (session_.memory == nullptr || purpose.depends_on_time) return false;
  const SearchEnded* ended = session_.memory->recall_end(session_, action_, purpose.preemptor);
  if (ended != nullptr) solver_.end_as_before(*ended);
  return ended != nullptr;
}

void EvictionPlanner::remember(const Purpose& purpose, const SearchReport& report) {
  if (session_.memory == nullptr || purpose.depends_on_time) return;
  SearchEnded ended = solver_.ended();
  const auto take_earlier = [&](const std::optional<TimePoint>& until) {
    if (until && (!ended.until || *until < *ended.until)) ended.until = until;
  };
  if (ended.soonest) take_earlier(ended.soonest->until);
  for (const NotEvictableJobs& spared : report.spared) take_earlier(spared.until);
  session_.memory->remember_end(session_, action_, purpose.preemptor, ended);
}

void EvictionPlanner::report(const Purpose& purpose, SearchEnd end, std::optional<JobReason> proof) {
  SearchReport report{.action = action_, .end = end};
  const Proofs::Partition& sifted = proofs_.partition(solver_.pool(), purpose.preemptor, purpose.candidates);
  report.spared = sifted.spared;
  report.candidates = std::ssize(sifted.others);
  if (end != SearchEnd::kProven) {
    report.scenarios = solver_.ended().scenarios;
    report.last_failure = solver_.ended().last_failure;
  }
  if (end == SearchEnd::kNoScenario) remember(purpose, report);
  set_wake_times(report, end);
  if (proof && proof->rule == JobRule::kTooLittleToFree) proof->spared = report.spared;
  const bool has_no_candidates = report.candidates == 0 && report.spared.empty();
  if (proof && !has_no_candidates) session_.add_reason(purpose.preemptor, std::move(*proof));
  report_protected(purpose.preemptor, report.spared, end != SearchEnd::kProven);
  if (end == SearchEnd::kCutShort)
    session_.add_reason(purpose.preemptor, {.rule = JobRule::kSearchUnresolved,
                                            .needed = static_cast<std::int32_t>(solver_.ended().scenarios)});
  if (!has_no_candidates) session_.record_search(purpose.preemptor, std::move(report));
}

// Wakes up when a protection ends, or when a scenario that was refused temporarily is allowed.
void EvictionPlanner::set_wake_times(const SearchReport& report, SearchEnd end) {
  for (const NotEvictableJobs& spared : report.spared) session_.wake_at(spared.until);
  if (const auto& soonest = solver_.ended().soonest; soonest && end != SearchEnd::kProven)
    session_.wake_at(soonest->until);
  if (end != SearchEnd::kProven) session_.wake_at(solver_.ended().until);
  if (end == SearchEnd::kCutShort) session_.decisions.is_unfinished = true;
}

// Reports the jobs that become victims, or can lose more than their surplus, just by the passage of time;
// skipped if another reason says so already.
void EvictionPlanner::report_protected(JobId preemptor, const std::vector<NotEvictableJobs>& spared,
                                       bool was_searched) {
  const auto has_end = [](const NotEvictableJobs& s) { return s.until.has_value(); };
  JobReason reason{.rule = JobRule::kProtected};
  std::copy_if(spared.begin(), spared.end(), std::back_inserter(reason.spared), has_end);
  if (const auto& soonest = solver_.ended().soonest; was_searched && soonest && reason.spared.empty())
    reason.spared.push_back({.rule = std::string(soonest->rule),
                             .jobs = 1,
                             .held = solver_.pool().held(soonest->who),
                             .until = soonest->until,
                             .first = soonest->who});
  const auto says_so = [&](const JobReason& r) { return std::ranges::any_of(r.spared, has_end); };
  if (!reason.spared.empty() && std::ranges::none_of(session_.reasons(preemptor), says_so))
    session_.add_reason(preemptor, std::move(reason));
}

// ---------------------------------------------------------------- eviction records

void EvictionPlanner::remember_queues() {
  held_.clear();
  for (QueueId q : ids(session_.cluster.queues()))
    held_.push_back(session_.cluster.use(q).allocated.shares());
}

// Fills in the records of all evictions from `first` on.
void EvictionPlanner::write_records(const Purpose& purpose, std::size_t first) const {
  const QueueSnapshot ours = queue_snapshot(purpose.preemptor);
  const auto was_only_nominated = [&](TaskId t) { return session_.cluster.placement(t).was_only_pipelined; };
  if (std::ranges::any_of(solver_.taken(), was_only_nominated)) pass_on_records(purpose, first, ours);
  for (std::size_t i = first; i < session_.decisions.evictions.size(); ++i) {
    EvictDecision& e = session_.decisions.evictions[i];
    const JobId victim = session_.cluster.task(e.task).job;
    if (session_.settings.compatibility.take_once)
      session_.cluster.record_displaced(purpose.preemptor, victim);
    e.rule = purpose.ground(victim);
    e.victim_queue = queue_snapshot(victim);
    e.preemptor_queue = ours;
    if (const auto& start = session_.cluster.job(victim).last_start) e.runtime_lost = session_.now - *start;
  }
}

// If the preemptor now has the places that earlier evictions made for another job, those evictions name the
// preemptor. The other job gained nothing by them.
void EvictionPlanner::pass_on_records(const Purpose& purpose, std::size_t before,
                                      const QueueSnapshot& ours) const {
  Cluster& cluster = session_.cluster;
  for (std::size_t i = 0; i < before; ++i) {
    EvictDecision& e = session_.decisions.evictions[i];
    const NodeId node = cluster.placement(e.task).node;
    if (!e.preemptor.valid() || is_nominated_to(e.preemptor, node)) continue;
    const bool has_lost_all = cluster.job(e.preemptor).counts.of(TaskStatus::kPipelined) == 0;
    if (!has_lost_all && !is_nominated_to(purpose.preemptor, node)) continue;
    const JobId victim = cluster.task(e.task).job;
    if (session_.settings.compatibility.take_once) {
      cluster.forget_displaced(e.preemptor, victim);
      cluster.record_displaced(purpose.preemptor, victim);
    }
    e.preemptor = purpose.preemptor;
    e.preemptor_queue = ours;
  }
}

bool EvictionPlanner::is_nominated_to(JobId job, NodeId node) const {
  const Cluster& cluster = session_.cluster;
  return std::ranges::any_of(cluster.job(job).pod_sets, [&](const PodSet& set) {
    return std::ranges::any_of(set.tasks, [&](TaskId t) {
      return cluster.placement(t).status == TaskStatus::kPipelined && cluster.placement(t).node == node;
    });
  });
}

QueueSnapshot EvictionPlanner::queue_snapshot(JobId job) const {
  const QueueId q = session_.cluster.job(job).queue;
  QueueSnapshot queue_snapshot{.queue = q, .held = held_[q]};
  if (session_.hooks.fair_share) queue_snapshot.fair_share = session_.hooks.fair_share(q);
  for (Accounted r : kAccounted) queue_snapshot.quota[index(r)] = session_.cluster.queue(q).of(r).quota;
  return queue_snapshot;
}

std::optional<VictimRefusal> was_displaced_before(const Session& s, JobId victim, JobId preemptor) {
  const auto& taken = s.cluster.job(preemptor).displaced_for_it;
  if (taken.empty() || !s.settings.compatibility.take_once) return std::nullopt;
  const Job& job = s.cluster.job(victim);
  if (!taken.contains(job.uid) || job.counts.of(TaskStatus::kReleasing) > 0) return std::nullopt;
  return VictimRefusal{.rule = "already made way for this job once, without success"};
}

std::optional<VictimRefusal> reclaim_refusal(const Session& s, JobId victim, JobId preemptor) {
  if (auto why = was_displaced_before(s, victim, preemptor)) return why;
  if (auto why = s.hooks.reclaim_victim(preemptor, victim)) return why;
  return s.hooks.reclaim_entitled(preemptor, victim);
}

std::optional<VictimRefusal> reclaim_refusal(const Session& s, const Scenario& scenario) {
  if (auto why = s.hooks.reclaim_scenario(scenario)) return why;
  return s.hooks.entitled_scenario(scenario);
}

}  // namespace muster
