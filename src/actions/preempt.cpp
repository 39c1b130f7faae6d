// One waiting job after the other, with victims of its own queue that have a lower priority.
#include "actions/preempt.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/search/making_room.hpp"

namespace muster::actions {
namespace {

// Jobs of strictly lower priority in the contender's queue.
Candidates preempt_candidates(Session& s, JobId contender) {
  return {.leaves = {s.cluster.job(contender).queue},
          .spares = [&s, contender](JobId victim) -> std::optional<VictimRefusal> {
            if (victim == contender) return VictimRefusal{.rule = kItself};
            if (s.cluster.job(victim).priority >= s.cluster.job(contender).priority)
              return VictimRefusal{.rule = "no lower priority"};
            return s.hooks.preempt_victim(contender, victim);
          },
          .kin = s.cluster.job(contender).priority};
}

Purpose preempt_purpose(Session& s, JobId contender) {
  return {.contender = contender,
          .candidates = preempt_candidates(s, contender),
          .valid = [&s](const Scenario& scenario) { return s.hooks.preempt_scenario(scenario); },
          .ground = [](JobId) { return "lower priority in the same queue"; }};
}

// The lowest priority that has a place in a queue; nobody of it is preempted for one that has no more. Looks
// at all jobs when it is first asked.
class LowestPriorities {
 public:
  explicit LowestPriorities(const Cluster& cluster) : cluster_(cluster) {}

  // The job has got a place.
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

// Of all who wait the caller knows it, and none could take anybody: then there is nothing to say or to do.
bool is_without_hope(Session& s, LowestPriorities& lowest) {
  return std::ranges::all_of(s.waiting_by_age(), [&](JobId j) {
    return s.passes_over_in_vain(j) && !s.cluster.job(j).preemption_delay && !lowest.are_below(j);
  });
}

bool report_if_over_quota(Session& s, JobId contender) {
  if (!s.hooks.job_over_quota) return false;
  const Chunk chunk = s.chunk(contender);
  auto reason = s.hooks.job_over_quota(contender, chunk.tasks);
  if (reason) s.add_reason(contender, *reason);
  return reason.has_value();
}

class Preempt final : public Action {
 public:
  static constexpr const char* kName = "preempt";

  std::string name() const override { return kName; }
  void open(Session& s) override { s.take_signatures(); }

  void run(Session& s) override {
    LowestPriorities lowest(s.cluster);
    if (is_without_hope(s, lowest)) return;
    JobOrder waiting = contenders(s, kName);
    if (waiting.empty()) return;
    RoomMaker maker(s, kName);
    FailedJobs failed(s, LikeVictims::kNo);
    while (!waiting.empty()) {
      const JobId contender = waiting.pop();
      if (s.passes_over_in_vain(contender) && !lowest.are_below(contender)) continue;
      const QueueId queue = s.cluster.job(contender).queue;
      if (maker.report_if_covered(failed, queue, contender) || maker.report_if_hopeless(contender) ||
          maker.report_if_put_off(contender))
        continue;
      const Outcome outcome = report_if_over_quota(s, contender)
                                  ? Outcome::kNoSolution
                                  : maker.make_room(preempt_purpose(s, contender));
      if (outcome == Outcome::kOutOfTime) return;
      if (outcome == Outcome::kSolved)
        lowest.note(contender);
      else
        failed.add(queue, contender);
    }
  }
};

}  // namespace

std::unique_ptr<Action> make_preempt() { return std::make_unique<Preempt>(); }

}  // namespace muster::actions
