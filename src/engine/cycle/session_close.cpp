// The end of a session: pipelined places are given back, the rest becomes assumptions, and why jobs wait is
// told.
#include <algorithm>

#include "engine/cycle/session.hpp"
#include "engine/order/waiting_jobs.hpp"
#include "model/holders.hpp"

namespace muster {
namespace {

// The resource of which most nodes have too little; not valid: no room is lacking for another reason.
Kind what_is_short(const JobReason& r) {
  if (r.rule == JobRule::kTopology && !r.domains.empty()) return r.domains.front().kind;
  if (r.rule != JobRule::kNoNode) return {};
  for (const RefusalCount& c : r.nodes)  // most nodes first
    if (c.refusal.rule == NodeRule::kResources) return c.refusal.kind;
  return {};
}

}  // namespace

Decisions Session::close() {
  collect_waiting();
  name_holders();
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
    if (auto standing = why_not_considered(cluster, j)) w.reasons.push_back(std::move(*standing));
    if (const auto found = reasons_.find(j); found != reasons_.end())
      w.reasons.insert(w.reasons.end(), found->second.begin(), found->second.end());
    if (const auto found = searches_.find(j); found != searches_.end()) w.searches = std::move(found->second);
    decisions.waiting.push_back(std::move(w));
  }
}

// Once per resource, and only where somebody lacks it.
void Session::name_holders() {
  absl::flat_hash_map<Kind, Holders> known;
  for (WaitingJob& w : decisions.waiting)
    for (JobReason& r : w.reasons) {
      const Kind kind = what_is_short(r);
      if (!kind.valid()) continue;
      const auto [found, is_new] = known.try_emplace(kind);
      if (is_new) found->second = holders_of(cluster, kind);
      if (!found->second.most.empty()) r.holders = found->second;
      break;
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
