// One waiting job after the other, with victims of its own queue that have a lower priority.
#include "actions/preempt.hpp"

#include <absl/container/flat_hash_map.h>

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

// Whether a leaf queue has an evictable job of lower priority than one that waits there.
class LowerPriorities {
 public:
  LowerPriorities(const Session& session, const VictimPool& pool) : cluster_(session.cluster), pool_(pool) {}
  bool are_there(JobId contender) {
    const Job& job = cluster_.job(contender);
    if (std::exchange(as_of_, pool_.version()) != pool_.version()) lowest_.clear();
    const auto [at, is_new] = lowest_.try_emplace(job.queue, std::numeric_limits<std::int32_t>::max());
    if (is_new)
      for (const JobEntry& e : pool_.all_of(job.queue))
        at->second = std::min(at->second, cluster_.job(e.job).priority);
    return at->second < job.priority;
  }

 private:
  const Cluster& cluster_;
  const VictimPool& pool_;
  std::uint64_t as_of_ = 0;
  absl::flat_hash_map<QueueId, std::int32_t> lowest_;
};

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
    JobOrder waiting = contenders(s, kName);
    if (waiting.empty()) return;
    RoomMaker maker(s, kName);
    FailedJobs failed(s, LikeVictims::kNo);
    LowerPriorities lower(s, maker.solver().pool());
    while (!waiting.empty()) {
      const JobId contender = waiting.pop();
      if (!s.counts_refusals(contender) && !lower.are_there(contender)) {
        maker.report_if_hopeless(contender);
        continue;
      }
      const QueueId queue = s.cluster.job(contender).queue;
      if (maker.report_if_covered(failed, queue, contender) || maker.report_if_hopeless(contender) ||
          maker.report_if_put_off(contender))
        continue;
      const Outcome outcome = report_if_over_quota(s, contender)
                                  ? Outcome::kNoSolution
                                  : maker.make_room(preempt_purpose(s, contender));
      if (outcome == Outcome::kOutOfTime) return;
      if (outcome != Outcome::kSolved) failed.add(queue, contender);
    }
  }
};

}  // namespace

std::unique_ptr<Action> make_preempt() { return std::make_unique<Preempt>(); }

}  // namespace muster::actions
