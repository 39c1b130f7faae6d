// The end of a session: pipelined places are given back, the rest becomes assumptions, and why jobs wait is
// told.
#include <algorithm>

#include "engine/cycle/session.hpp"
#include "engine/order/waiting_jobs.hpp"

namespace muster {
Decisions Session::close() {
  collect_waiting();
  collect_shares();
  settle_evicted();
  settle_pipelined();
  return std::move(decisions);
}

// Pipelined places last to the end of the cycle: a moved task goes on terminating where it was, others wait
// again.
void Session::settle_pipelined() {
  std::sort(pipelined_.begin(), pipelined_.end(),
            [&](TaskId a, TaskId b) { return is_listed_before(cluster.task(a), cluster.task(b)); });
  pipelined_.erase(std::unique(pipelined_.begin(), pipelined_.end()), pipelined_.end());
  for (TaskId t : pipelined_) {
    const Placement at = cluster.placement(t);
    if (at.status != TaskStatus::kPipelined) continue;
    decisions.pipelined.push_back({t, at.node, at.holding});
    if (at.leaving.valid() && !at.never_stood)
      cluster.move(t, {.status = TaskStatus::kReleasing, .node = at.leaving, .holding = at.leaving_holding});
    else
      cluster.move(t, {.status = TaskStatus::kPending});
  }
}

// A task that was evicted when it was only pipelined waits again; one that was to move ends where it stands.
void Session::settle_evicted() {
  for (TaskId t : pipelined_) {
    const Placement at = cluster.placement(t);
    if (at.status != TaskStatus::kReleasing) continue;
    if (at.leaving.valid() && !at.never_stood)
      cluster.move(t, {.status = TaskStatus::kReleasing, .node = at.leaving, .holding = at.leaving_holding});
    else if (!cluster.task(t).observed.node.valid())
      cluster.move(t, {.status = TaskStatus::kPending});
  }
}

void Session::collect_waiting() {
  std::vector<JobId> waiting(cluster.pending_jobs().begin(), cluster.pending_jobs().end());
  std::sort(waiting.begin(), waiting.end(),
            [&](JobId a, JobId b) { return is_listed_before(cluster.job(a), cluster.job(b)); });
  for (JobId j : waiting) {
    WaitingJob w{.job = j, .reasons = {}, .searches = {}};
    if (const auto found = reasons_.find(j); found != reasons_.end()) w.reasons = std::move(found->second);
    if (auto standing = why_not_considered(cluster, j))
      w.reasons.insert(w.reasons.begin(), std::move(*standing));
    if (const auto found = searches_.find(j); found != searches_.end()) w.searches = std::move(found->second);
    decisions.waiting.push_back(std::move(w));
  }
}

void Session::collect_shares() {
  for (QueueId q : cluster.queue_tree().depth_first())
    decisions.shares.push_back({.queue = q,
                                .fair_share = hooks.fair_share ? hooks.fair_share(q) : Shares{},
                                .allocated = cluster.use(q).allocated.shares(),
                                .requested = hooks.requested ? hooks.requested(q) : Shares{}});
}

}  // namespace muster
