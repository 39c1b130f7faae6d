// Requeue.
#include "actions/requeue.hpp"

#include <algorithm>

#include "actions/requeue_victims.hpp"
#include "engine/making_room.hpp"
#include "engine/requeue_settings.hpp"
#include "util/keys.hpp"

namespace muster::actions {
namespace {

constexpr const char* kName = "requeue";

// Victims of the contender's queue are judged as preempt would, the others as reclaim would.
std::optional<VictimRefusal> judge(const Session& s, const Scenario& scenario) {
  std::vector<Scenario::Victim> own, others;
  for (const Scenario::Victim& v : scenario.victims)
    (s.cluster.job(v.job).queue == s.cluster.job(scenario.contender).queue ? own : others).push_back(v);
  Scenario part = scenario;
  part.victims = own;
  if (!own.empty())
    if (auto refusal = s.hooks.preempt_scenario(part)) return refusal;
  part.victims = others;
  return others.empty() ? std::nullopt : s.hooks.reclaim_scenario(part);
}

class Requeue final : public Action {
 public:
  explicit Requeue(RequeueOptions options) : options_(options) {}
  std::string name() const override { return kName; }

  void run(Session& s) override {
    RequeueRecord& record = s.decisions.requeue.emplace();
    record.is_dry_run = options_.is_dry_run;
    s.hooks.nominate(record);
    if (record.nominated.empty()) return;
    Solver solver(s, kName, nominated_pool(s, record), Line::kWhole);
    RequeueVictims victims(s, solver.pool(), record, options_.contenders);
    for (JobOrder waiting = contenders(s, kName); !waiting.empty();) {
      const JobId contender = waiting.pop();
      if (is_hopeless(s, contender)) continue;
      const Candidates candidates = victims.of(contender);
      const std::string nominators = victims.nominators(candidates);
      if (nominators.empty()) continue;
      s.hooks.search_begins(contender);
      const std::size_t first = s.decisions.evictions.size();
      const Outcome outcome = make_room(s, solver, purpose(s, solver, contender, candidates));
      count(record, outcome, nominators);
      to_the_back(s, first);
      if (outcome == Outcome::kOutOfTime) return;
    }
  }

 private:
  Purpose purpose(Session& s, Solver& solver, JobId contender, const Candidates& candidates) const {
    return {.action = kName,
            .contender = contender,
            .candidates = candidates,
            .valid = [&s](const Scenario& scenario) { return judge(s, scenario); },
            .ground = [](JobId) { return "past its expected runtime"; },
            .commits = [this, &s, &solver, contender] { return !options_.is_dry_run || show(s, solver, contender); }};
  }

  // What a dry run would have evicted; never carried out.
  static bool show(Session& s, const Solver& solver, JobId contender) {
    for (TaskId t : solver.taken())
      if (const TaskStatus now = s.cluster.placement(t).status;
          now == TaskStatus::kReleasing || now == TaskStatus::kPipelined)
        s.decisions.requeue->would_evict.push_back({t, contender});
    return false;
  }

  static void count(RequeueRecord& record, Outcome outcome, const std::string& nominators) {
    if (outcome == Outcome::kSolved)
      ++record.commits, ++record.commits_by[nominators];
    else
      ++record.rollbacks, ++record.rollbacks_by[nominators];
  }

  // Every job that lost or moved a pod since then stands behind those that wait, and is left alone for a while.
  void to_the_back(Session& s, std::size_t first) const {
    std::vector<JobId> jobs;
    for (std::size_t i = first; i < s.decisions.evictions.size(); ++i) {
      const JobId job = s.cluster.task(s.decisions.evictions[i].task).job;
      if (std::find(jobs.begin(), jobs.end(), job) == jobs.end()) jobs.push_back(job);
    }
    for (JobId id : jobs) {
      auto [delay, problem] = requeue_delay(s.cluster, id, options_.default_delay);
      if (!problem.empty()) s.decisions.requeue->warnings.push_back({id, std::move(problem)});
      const std::string not_before = format_time(s.now + delay);
      Job& job = s.cluster.job_facts(id);
      job.requeue_not_before = not_before;
      job.requeued_at = s.now;
      s.annotate(id, keys::kRequeueNotBefore, not_before);
      s.annotate(id, keys::kRequeuedAt, s.now_text);
    }
  }

  const RequeueOptions options_;
};

}  // namespace

std::unique_ptr<Action> make_requeue(RequeueOptions options) { return std::make_unique<Requeue>(options); }

}  // namespace muster::actions
