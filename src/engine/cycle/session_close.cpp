// The end of a round, and of the session: undoes binds that were displaced, releases pipelined places, turns
// the rest into assumptions, and reports why jobs are pending.
#include <absl/container/flat_hash_set.h>

#include <algorithm>

#include "engine/cycle/session.hpp"
#include "engine/order/waiting_jobs.hpp"
#include "util/keys.hpp"

namespace muster {

Decisions Session::close() {
  if (settings.compatibility.bind_or_evict) withdraw_binds();
  collect_waiting();
  collect_shares();
  collect_fragments();
  settle_evicted();
  settle_pipelined();
  wake_at(cluster.next_stuck());
  return std::move(decisions);
}

// A pod that was placed and lost its place in the same cycle stays pending: it is neither bound nor evicted.
// A gang is not started partially while the rest is placed elsewhere.
bool Session::withdraw_binds() {
  if (decisions.binds.empty() || decisions.evictions.empty()) return false;
  const std::vector<TaskId> both = drop_evictions_of_bound();
  Stamps<TaskId>& withdrawn = spare_tasks;
  withdrawn.clear();
  for (TaskId t : both) withdrawn.insert(t);
  std::erase_if(decisions.binds, [&](const BindDecision& b) { return withdrawn.contains(b.task); });
  for (TaskId t : both) withdraw(t);
  const std::vector<JobId> half = half_bound(both);
  if (both.empty() && half.empty()) return false;
  for (JobId j : half) withdraw_gang(j);
  settle_evicted();
  has_withdrawn_ = true;
  std::erase_if(decisions.patches, [](const PatchDecision& p) { return p.annotations.empty(); });
  patches_.clear();
  for (std::size_t i = 0; i < decisions.patches.size(); ++i) patches_[decisions.patches[i].job] = i;
  note_change();
  return true;
}

std::vector<TaskId> Session::drop_evictions_of_bound() {
  Stamps<TaskId>& bound = spare_tasks;
  bound.clear();
  for (const BindDecision& b : decisions.binds) bound.insert(b.task);
  const auto dropped = std::stable_partition(decisions.evictions.begin(), decisions.evictions.end(),
                                             [&](const EvictDecision& e) { return !bound.contains(e.task); });
  std::vector<TaskId> both;
  for (auto e = dropped; e != decisions.evictions.end(); ++e) both.push_back(e->task);
  forget_displaced({dropped, decisions.evictions.end()});
  decisions.evictions.erase(dropped, decisions.evictions.end());
  return both;
}

// A job that never ran has lost nothing to the preemptor, unless other pods of it did run.
void Session::forget_displaced(std::span<const EvictDecision> dropped) {
  const auto pair_of = [&](const EvictDecision& e) {
    return std::pair(e.preemptor, cluster.task(e.task).job);
  };
  absl::flat_hash_set<std::pair<JobId, JobId>> displaced;
  for (const EvictDecision& e : dropped)
    if (e.preemptor.valid()) displaced.insert(pair_of(e));
  for (const EvictDecision& e :
       std::span(decisions.evictions).first(decisions.evictions.size() - dropped.size()))
    displaced.erase(pair_of(e));
  for (const auto& [preemptor, victim] : displaced) cluster.forget_displaced(preemptor, victim);
}

// Jobs with binds that lost tasks, so that the tasks to be bound no longer form a gang.
std::vector<JobId> Session::half_bound(std::span<const TaskId> withdrawn) const {
  Stamps<JobId> losers, seen;
  for (TaskId t : withdrawn) losers.insert(cluster.task(t).job);
  for (const EvictDecision& e : decisions.evictions) losers.insert(cluster.task(e.task).job);
  std::vector<JobId> jobs;
  for (const BindDecision& b : decisions.binds)
    if (const JobId j = cluster.task(b.task).job;
        losers.contains(j) && seen.insert(j) && !is_satisfied(cluster.job(j), kRoot, kAllocatedSet))
      jobs.push_back(j);
  return jobs;
}

// Pods to be bound become nominated instead if the rest of the gang is nominated as well; otherwise they
// become pending.
void Session::withdraw_gang(JobId job) {
  const bool is_whole_gang_nominated = is_satisfied(cluster.job(job), kRoot);
  std::erase_if(decisions.binds, [&](const BindDecision& b) {
    if (cluster.task(b.task).job != job) return false;
    move(b.task, {.status = TaskStatus::kPending});
    if (is_whole_gang_nominated) {
      move(b.task, {.status = TaskStatus::kPipelined, .node = b.node, .holding = b.holding});
      record_pipelined(b.task);
    }
    return true;
  });
  undo_notes(job);
}

void Session::withdraw(TaskId t) {
  const Placement at = cluster.placement(t);
  if (at.status == TaskStatus::kPipelined)  // moved again before it was ever bound
    move(t, {.status = TaskStatus::kPipelined, .node = at.node, .holding = at.holding});
  else
    move(t, {.status = TaskStatus::kPending});
  undo_notes(cluster.task(t).job);
}

// Drops the times and annotations of a start or an eviction that has been undone.
void Session::undo_notes(JobId id) {
  const auto is_of_job = [&](const auto& decision) { return cluster.task(decision.task).job == id; };
  const auto before = times_before_.find(id);
  const auto patch = patches_.find(id);
  const auto undo = [&](const auto& remaining, const char* key, auto member, auto restore) {
    if (std::ranges::any_of(remaining, is_of_job)) return;
    if (patch != patches_.end()) decisions.patches[patch->second].annotations.erase(key);
    if (before != times_before_.end()) restore(before->second.*member);
  };
  undo(decisions.binds, keys::kLastStart, &JobTimes::last_start,
       [&](const auto& time) { cluster.restore_start(id, time); });
  undo(decisions.evictions, keys::kLastEviction, &JobTimes::last_eviction,
       [&](const auto& time) { cluster.restore_eviction(id, time); });
}

// Reports of searches describe the last round only.
void Session::begin_round() { searches_.clear(); }

// Pipelined places last until the end of the cycle: a moved task keeps terminating on its old node, the
// others become pending again.
void Session::settle_pipelined() {
  std::sort(pipelined_.begin(), pipelined_.end(),
            [&](TaskId a, TaskId b) { return is_listed_before(cluster.task(a), cluster.task(b)); });
  pipelined_.erase(std::unique(pipelined_.begin(), pipelined_.end()), pipelined_.end());
  std::vector<Cluster::NominatedPlace> nominations;
  for (TaskId t : pipelined_) {
    const Placement at = cluster.placement(t);
    if (at.status != TaskStatus::kPipelined) continue;
    decisions.pipelined.push_back({t, at.node, at.holding});
    if (at.source.valid() && !at.was_only_pipelined) {
      cluster.move(t, {.status = TaskStatus::kReleasing, .node = at.source, .holding = at.source_holding});
    } else {
      cluster.move(t, {.status = TaskStatus::kPending});
      nominations.push_back({t, cluster.task(t).uid, at.node});
    }
  }
  if (settings.compatibility.settled_plans) cluster.keep_nominations(std::move(nominations));
}

// A task that was evicted while only pipelined becomes pending; one that was to be moved ends on its current
// node. A task that never ran leaves nothing behind where it was nominated before.
void Session::settle_evicted() {
  for (TaskId t : pipelined_) {
    const Placement at = cluster.placement(t);
    if (at.status == TaskStatus::kPipelined && at.was_only_pipelined)
      move(t, {.status = TaskStatus::kPipelined, .node = at.node, .holding = at.holding});
    if (at.status != TaskStatus::kReleasing) continue;
    if (at.source.valid() && !at.was_only_pipelined)
      move(t, {.status = TaskStatus::kReleasing, .node = at.source, .holding = at.source_holding});
    else if (!cluster.task(t).observed.node.valid())
      move(t, {.status = TaskStatus::kPending});
  }
}

// The caller already knows the pending jobs and needs only changes. A job that lost pods in the cycle may no
// longer take part.
bool Session::is_as_known(JobId job) const {
  const auto found = reported_.find(job);
  if (found == reported_.end() || found->second.as_known == 0) return false;
  return found->second.as_known == cluster.job(job).version || !why_not_considered(cluster, job);
}

void Session::collect_waiting() {
  std::vector<JobId> jobs = waiting();
  std::erase_if(jobs, [&](JobId j) { return is_as_known(j); });
  std::sort(jobs.begin(), jobs.end(),
            [&](JobId a, JobId b) { return is_listed_before(cluster.job(a), cluster.job(b)); });
  for (JobId j : jobs) {
    WaitingJob w{.job = j, .reasons = {}, .searches = {}};
    if (const auto found = reported_.find(j); found != reported_.end())
      w.reasons = std::move(found->second.reasons);
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

void Session::collect_fragments() {
  if (!hooks.free_gpus) return;
  for (NodeId n : cluster.nodes_by_name())
    if (cluster.node(n).gpu_devices > 0 || cluster.allocatable().at(kGpu, n) > 0)
      decisions.fragments.push_back({n, hooks.free_gpus(n)});
}

}  // namespace muster
