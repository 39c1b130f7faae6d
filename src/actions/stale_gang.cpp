// Marks gangs that fell below their minimum, and evicts them when their grace period is over.
#include "actions/stale_gang.hpp"

#include <algorithm>
#include <vector>

#include "engine/cycle/session.hpp"
#include "util/keys.hpp"

namespace muster::actions {
namespace {

// minSubGroup is applied along the tree; KAI requires the minimum of every pod set.
bool is_stale(const Session& s, JobId id) {
  return !s.settings.compatibility.satisfaction_along_tree ||
         !is_satisfied(s.cluster.job(id), kRoot, kActiveUsed);
}

auto by_name(const Session& s) {
  return [&s](JobId a, JobId b) { return is_listed_before(s.cluster.job(a), s.cluster.job(b)); };
}

std::vector<JobId> sorted(const Session& s, std::span<const JobId> jobs) {
  std::vector<JobId> list(jobs.begin(), jobs.end());
  std::sort(list.begin(), list.end(), by_name(s));
  return list;
}

class StaleGang final : public Action {
 public:
  static constexpr const char* kName = "stalegangeviction";

  bool runs_once() const override { return true; }
  std::string name() const override { return kName; }

  void run(Session& s) override {
    const auto broken = sorted(s, s.cluster.job_table().broken_gangs());
    for (JobId j : sorted(s, s.cluster.job_table().stale()))
      if (!std::binary_search(broken.begin(), broken.end(), j, by_name(s)) || !is_stale(s, j)) unmark(s, j);
    for (JobId j : broken)
      if (is_stale(s, j)) judge(s, j);
  }

 private:
  static void unmark(Session& s, JobId id) {
    s.cluster.mark_stale(id, std::nullopt);
    s.annotate(id, keys::kStale, std::nullopt);
  }

  static void judge(Session& s, JobId id) {
    const Job& job = s.cluster.job(id);
    if (!job.stale_since) {
      s.cluster.mark_stale(id, s.now);
      s.annotate(id, keys::kStale, s.now_text);
    }
    const Duration grace = job.staleness_grace.value_or(s.settings.staleness_grace);
    if (grace < Duration::zero()) return;
    if (s.now - *job.stale_since < grace) return s.wake_at(*job.stale_since + grace);
    if (const auto protection = s.hooks.stale_victim(id)) return s.wake_at(protection->until);
    std::vector<TaskId> active;
    for (const PodSet& p : job.pod_sets)
      for (TaskId t : p.tasks)
        if (in(s.cluster.placement(t).status, kActiveAllocated)) active.push_back(t);
    std::sort(active.begin(), active.end(), [&](TaskId a, TaskId b) { return s.task_before(a, b); });
    for (TaskId t : active) evict(s, t);
  }

  // Evicts without validation; nothing is placed instead.
  static void evict(Session& s, TaskId t) {
    Placement at = s.cluster.placement(t);
    at.was_only_pipelined =
        at.was_only_pipelined || (at.status == TaskStatus::kPipelined && !at.source.valid());
    at.status = TaskStatus::kReleasing;
    s.move(t, at);
    s.note_change();
    if (at.was_only_pipelined) return;
    s.record_eviction(t, kName, {});
    EvictDecision& receipt = s.decisions.evictions.back();
    const Job& job = s.cluster.job(s.cluster.task(t).job);
    receipt.rule = "gang below its minimum for longer than its grace period";
    if (job.last_start) receipt.runtime_lost = s.now - *job.last_start;
  }
};

}  // namespace

std::unique_ptr<Action> make_stale_gang() { return std::make_unique<StaleGang>(); }

}  // namespace muster::actions
