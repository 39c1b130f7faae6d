// Logs the placement of each task before a change. Undo moves the task back and cannot fail.
#include "engine/cycle/statement.hpp"

#include <algorithm>
#include <cassert>

namespace muster {

void Statement::move(TaskId t, const Placement& to) {
  log_.push_back({t, session_.cluster.placement(t)});
  session_.move(t, to);
}

void Statement::allocate(TaskId t, NodeId node, HoldingId holding) {
  assert(session_.cluster.placement(t).status == TaskStatus::kPending && "only waiting tasks are allocated");
  move(t, {.status = TaskStatus::kAllocated, .node = node, .holding = holding});
}

void Statement::pipeline(TaskId t, NodeId node, HoldingId holding) {
  const Placement at = session_.cluster.placement(t);
  Placement to{.status = TaskStatus::kPipelined, .node = node, .holding = holding};
  if (at.virtually_evicted) {
    if (stands_there(t, node, holding)) return take_back(t);
    const bool moved_before = at.source.valid();
    to.was_only_pipelined = at.was_only_pipelined;
    to.source = moved_before ? at.source : at.node;
    to.source_holding = moved_before ? at.source_holding : at.holding;
    if (moved_before) to.via = at.node, to.via_holding = at.holding;
  }
  move(t, to);
}

// Whether the task is at its place before the eviction, with the same shared GPUs, devices and NUMA zones.
bool Statement::stands_there(TaskId t, NodeId node, HoldingId holding) const {
  const Placement& at = session_.cluster.placement(t);
  if (session_.settings.compatibility.return_where_chosen && node != first_before(t).node) return false;
  if (node != at.node && node != at.source && node != at.via) return false;
  const Holding &wanted = session_.cluster.holding(holding), &held = session_.cluster.holding(at.holding);
  const bool is_shared = session_.cluster.shape_of(t).is_shared();
  // Devices of an earlier place may have been passed to another pod that shares the claim.
  if (!held.claims.empty() && first_before(t).holding != at.holding) return false;
  return wanted.zones == held.zones && wanted.claims == held.claims &&
         (!is_shared || wanted.groups == held.groups);
}

void Statement::evict(TaskId t) {
  Placement to = session_.cluster.placement(t);
  assert(in(to.status, kActiveAllocated) && "only tasks that hold a place are evicted");
  to.was_only_pipelined =
      to.was_only_pipelined || (to.status == TaskStatus::kPipelined && !to.source.valid());
  to.status = TaskStatus::kReleasing;
  to.virtually_evicted = true;
  move(t, to);
}

void Statement::take_back(TaskId t) { move(t, Placement(first_before(t))); }

const Placement& Statement::first_before(TaskId t) const {
  for (const TaskMove& m : log_)
    if (m.task == t) return m.before;
  assert(false && "the task was not changed by this statement");
  return log_.front().before;
}

void Statement::convert_to_pipelined(JobId job) {
  for (std::size_t i = 0, end = log_.size(); i < end; ++i) {
    const TaskId t = log_[i].task;
    Placement at = session_.cluster.placement(t);
    if (at.status != TaskStatus::kAllocated || session_.cluster.task(t).job != job) continue;
    at.status = TaskStatus::kPipelined;
    move(t, at);
  }
}

void Statement::rollback(Checkpoint to) {
  assert(to <= log_.size());
  for (; log_.size() > to; log_.pop_back()) session_.move(log_.back().task, log_.back().before);
}

void Statement::commit(const std::string& action, JobId preemptor) {
  session_.note_change();
  Stamps<TaskId>& seen = session_.spare_tasks;
  seen.clear();
  for (const TaskMove& m : log_) {
    if (!seen.insert(m.task)) continue;
    const Placement at = session_.cluster.placement(m.task);
    if (at == m.before) continue;
    const bool was_placed = in(m.before.status, kActiveAllocated);
    if (at.status == TaskStatus::kAllocated) session_.bind(m.task);
    if (at.status == TaskStatus::kPipelined) session_.record_pipelined(m.task);
    if (!was_placed) continue;
    Placement settled = at;
    settled.virtually_evicted = false;
    session_.move(m.task, settled);
    const bool is_evicted_already =
        m.before.status == TaskStatus::kPipelined;  // by the statement that moved it
    const bool is_evicted_now = !at.was_only_pipelined && !is_evicted_already;
    if (is_evicted_now) session_.record_eviction(m.task, action, preemptor);
    if (is_evicted_now || !session_.settings.compatibility.stamp_real_evictions)
      session_.note_eviction(session_.cluster.task(m.task).job);
  }
  log_.clear();
}

}  // namespace muster
