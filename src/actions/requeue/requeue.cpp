// For each pending job in turn, evicts overdue jobs that opted in and that the pending job outranks.
#include "actions/requeue/requeue.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "actions/requeue/victims.hpp"
#include "engine/search/eviction_planner.hpp"
#include "engine/search/requeue_settings.hpp"
#include "util/keys.hpp"

namespace muster::actions {
namespace {

// Victims of the preemptor's own queue are judged by the rules of preempt, the others by those of reclaim.
std::optional<VictimRefusal> judge(const Session& s, const Scenario& scenario) {
  std::vector<Scenario::Victim> own, others;
  for (const Scenario::Victim& v : scenario.victims)
    (s.cluster.job(v.job).queue == s.cluster.job(scenario.preemptor).queue ? own : others).push_back(v);
  Scenario part = scenario;
  part.victims = own;
  if (!own.empty())
    if (auto refusal = s.hooks.preempt_scenario(part)) return refusal;
  part.victims = others;
  return others.empty() ? std::nullopt : s.hooks.reclaim_scenario(part);
}

// The failure of one preemptor is reused for another only if both have the same rank.
class FailedPreemptors {
 public:
  FailedPreemptors(Session& session, EvictionPlanner& maker) : s_(session), maker_(maker) {}
  bool report_if_covered(JobId preemptor) {
    return maker_.report_if_covered(of_rank(preemptor), s_.cluster.job(preemptor).queue, preemptor);
  }
  void add(JobId preemptor) { of_rank(preemptor).add(s_.cluster.job(preemptor).queue, preemptor); }

 private:
  FailedJobs& of_rank(JobId preemptor) {
    const Job& job = s_.cluster.job(preemptor);
    return by_rank_.try_emplace({job.priority, job.preemptibility}, s_, LikeVictims::kYes).first->second;
  }

  Session& s_;
  EvictionPlanner& maker_;
  std::map<std::pair<std::int32_t, Preemptibility>, FailedJobs> by_rank_;
};

class Requeue final : public Action {
 public:
  static constexpr const char* kName = "requeue";

  explicit Requeue(RequeueOptions options) : options_(options) {}
  std::string name() const override { return kName; }
  bool runs_once() const override { return true; }

  void run(Session& s) override {
    RequeueRecord& record = s.decisions.requeue.emplace();
    record.is_dry_run = options_.is_dry_run;
    s.hooks.nominate(record);
    if (record.nominated.empty()) return;
    s.take_signatures();
    EvictionPlanner maker(s, kName, nominated_pool(s, record), Line::kAll);
    RequeueVictims victims(s, maker.solver().pool(), record, options_.preemptors);
    FailedPreemptors failed(s, maker);
    for (JobOrder waiting = preemptors(s, kName); !waiting.empty();) {
      const JobId preemptor = waiting.pop();
      if (maker.report_if_hopeless(preemptor)) continue;
      const Candidates candidates = victims.of(preemptor);
      std::string nominators = victims.nominators(candidates);
      if (nominators.empty()) continue;
      record.attempts.push_back({.preemptor = preemptor, .nominators = std::move(nominators)});
      if (failed.report_if_covered(preemptor) || maker.report_if_put_off(preemptor)) continue;
      const Outcome outcome = search(s, maker, candidates, record.attempts.back());
      if (outcome == Outcome::kOutOfTime) return;
      if (outcome != Outcome::kSolved) failed.add(preemptor);
    }
  }

 private:
  Outcome search(Session& s, EvictionPlanner& maker, const Candidates& candidates,
                 RequeueAttempt& attempt) const {
    s.hooks.search_begins(attempt.preemptor);
    const std::size_t first = s.decisions.evictions.size();
    const Outcome outcome = maker.make_room(purpose(s, maker.solver(), candidates, attempt));
    attempt.found_room = outcome == Outcome::kSolved;
    for (std::size_t i = first; i < s.decisions.evictions.size(); ++i)
      add_victim(s, attempt, s.decisions.evictions[i].task);
    if (!options_.is_dry_run)
      for (const RequeueAttempt::Victim& victim : attempt.victims) {
        send_to_the_back(s, victim);
        maker.solver().note_place_in_line(victim.job);
      }
    return outcome;
  }

  Purpose purpose(Session& s, Solver& solver, const Candidates& candidates, RequeueAttempt& attempt) const {
    return {.preemptor = attempt.preemptor,
            .candidates = candidates,
            .refusal = [&s](const Scenario& scenario) { return judge(s, scenario); },
            .ground = [](JobId) { return "past its expected runtime"; },
            .depends_on_time = true,
            .commits = [this, &s, &solver,
                        &attempt] { return !options_.is_dry_run || record_dry_run(s, solver, attempt); }};
  }

  // Records what a dry run would have evicted; nothing is evicted.
  bool record_dry_run(Session& s, const Solver& solver, RequeueAttempt& attempt) const {
    for (TaskId t : solver.taken())
      if (const TaskStatus now = s.cluster.placement(t).status;
          now == TaskStatus::kReleasing || now == TaskStatus::kPipelined)
        add_victim(s, attempt, t);
    return false;
  }

  void add_victim(Session& s, RequeueAttempt& attempt, TaskId task) const {
    const JobId job = s.cluster.task(task).job;
    auto at = std::ranges::find(attempt.victims, job, &RequeueAttempt::Victim::job);
    if (at == attempt.victims.end()) at = attempt.victims.insert(at, {job, {}, s.now + delay_of(s, job)});
    at->tasks.push_back(task);
  }

  Duration delay_of(Session& s, JobId job) const {
    auto [given, problem] = requeue_delay(s.cluster, job);
    if (!problem.empty()) s.decisions.requeue->warn(job, std::move(problem));
    return given.value_or(options_.default_delay);
  }

  // The job moves behind the other pending jobs, and is not nominated again before its delay has passed.
  static void send_to_the_back(Session& s, const RequeueAttempt::Victim& victim) {
    const std::string not_before = format_time(victim.not_before);
    s.cluster.requeued(victim.job, s.now, not_before);
    s.annotate(victim.job, keys::kRequeueNotBefore, not_before);
    s.annotate(victim.job, keys::kRequeuedAt, s.now_text);
  }

  const RequeueOptions options_;
};

}  // namespace

std::unique_ptr<Action> make_requeue(RequeueOptions options) { return std::make_unique<Requeue>(options); }

}  // namespace muster::actions
