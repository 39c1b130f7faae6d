// For each pending job in turn, evicts victims of lower priority in the job's own queue.
#include "actions/preempt.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/search/eviction_planner.hpp"

namespace muster::actions {
namespace {

// Jobs of strictly lower priority in the preemptor's queue.
Candidates preempt_candidates(Session& s, JobId preemptor) {
  return {.leaves = {s.cluster.job(preemptor).queue},
          .eviction_refusal = [&s, preemptor](JobId victim) -> std::optional<VictimRefusal> {
            if (victim == preemptor) return VictimRefusal{.rule = kItself};
            if (s.cluster.job(victim).priority >= s.cluster.job(preemptor).priority)
              return VictimRefusal{.rule = "priority not lower"};
            return s.hooks.preempt_victim(preemptor, victim);
          },
          .reuse_key = s.cluster.job(preemptor).priority};
}

Purpose preempt_purpose(Session& s, JobId preemptor) {
  return {.preemptor = preemptor,
          .candidates = preempt_candidates(s, preemptor),
          .refusal = [&s](const Scenario& scenario) { return s.hooks.preempt_scenario(scenario); },
          .ground = [](JobId) { return "lower priority in the same queue"; }};
}

// The lowest priority of a placed job in each queue; a pending job of that priority or less can preempt none
// of that queue's jobs. Looks at all jobs on first use.
class LowestPriorities {
 public:
  explicit LowestPriorities(const Cluster& cluster) : cluster_(cluster) {}

  // Notes that the job was placed.
  void note(JobId id) {
    if (has_looked_) lower(cluster_.job(id));
  }
  bool are_below(JobId id) {
    if (!std::exchange(has_looked_, true)) look();
    const Job& job = cluster_.job(id);
    return job.queue.valid() && lowest_[job.queue] < job.priority;
  }

 private:
  void look() {
    lowest_.assign(cluster_.queues().size(), std::numeric_limits<std::int32_t>::max());
    for (JobId j : ids(cluster_.jobs()))
      if (cluster_.job(j).counts.active_allocated() > 0) lower(cluster_.job(j));
  }
  void lower(const Job& job) {
    if (job.queue.valid()) lowest_[job.queue] = std::min(lowest_[job.queue], job.priority);
  }

  const Cluster& cluster_;
  bool has_looked_ = false;
  IdVector<QueueId, std::int32_t> lowest_;
};

// True if the failure of every pending job is already known and none of them could preempt a job. Then there
// is nothing to do or to report.
bool nothing_can_succeed(Session& s, LowestPriorities& lowest) {
  return std::ranges::all_of(s.waiting_by_age(), [&](JobId j) {
    return s.passes_over_in_vain(j) && !s.cluster.job(j).preemption_delay && !lowest.are_below(j);
  });
}

bool report_if_over_quota(Session& s, JobId preemptor) {
  if (!s.hooks.job_over_quota) return false;
  const Chunk chunk = s.chunk(preemptor);
  auto reason = s.hooks.job_over_quota(preemptor, chunk.tasks);
  if (reason) s.add_reason(preemptor, *reason);
  return reason.has_value();
}

class Preempt final : public Action {
 public:
  static constexpr const char* kName = "preempt";

  std::string name() const override { return kName; }
  void open(Session& s) override { s.take_signatures(); }

  void run(Session& s) override {
    LowestPriorities lowest(s.cluster);
    if (nothing_can_succeed(s, lowest)) return;
    JobOrder waiting = preemptors(s, kName);
    if (waiting.empty()) return;
    EvictionPlanner maker(s, kName);
    FailedJobs failed(s, LikeVictims::kNo);
    while (!waiting.empty()) {
      const JobId preemptor = waiting.pop();
      if (s.passes_over_in_vain(preemptor) && !lowest.are_below(preemptor)) continue;
      const QueueId queue = s.cluster.job(preemptor).queue;
      if (maker.report_if_covered(failed, queue, preemptor) || maker.report_if_hopeless(preemptor) ||
          maker.report_if_put_off(preemptor))
        continue;
      const Outcome outcome = report_if_over_quota(s, preemptor)
                                  ? Outcome::kNoSolution
                                  : maker.make_room(preempt_purpose(s, preemptor));
      if (outcome == Outcome::kOutOfTime) return;
      if (outcome == Outcome::kSolved)
        lowest.note(preemptor);
      else
        failed.add(queue, preemptor);
    }
  }
};

}  // namespace

std::unique_ptr<Action> make_preempt() { return std::make_unique<Preempt>(); }

}  // namespace muster::actions
