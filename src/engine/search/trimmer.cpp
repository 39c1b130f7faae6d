// Simulates the scenario again without one job, or without the tasks taken from it last. Repeats this while
// the scenario still works.
#include "engine/search/trimmer.hpp"

#include <algorithm>
#include <cassert>

namespace muster {
namespace {

// The node of the task before the current statement evicted or moved it, and what it frees there.
NodeId home_of(const Cluster& cluster, TaskId t) {
  const Placement& at = cluster.placement(t);
  if (at.status != TaskStatus::kPipelined || !at.source.valid()) return at.node;
  return at.via.valid() ? at.via : at.source;
}
std::int64_t freed_at(const Cluster& cluster, TaskId t, NodeId home) {
  return cluster.accepted(cluster.shape_of(t), home).units[index(Accounted::kGpus)];
}

}  // namespace

// From the last to the first, so that no gang keeps its surplus without its core.
void Trimmer::trim(Statement& statement, const Solution& solution, const Plays& plays) {
  statement_ = &statement;
  recorded_ = &solution.recorded;
  plays_ = &plays;
  start_room(solution);
  fewest_.assign(solution.victims.begin(), solution.victims.end());
  const std::int64_t before = session_.stats.scenarios_simulated;
  for (std::size_t i = recorded_->size(); i-- > 0;) {
    if (are_needed((*recorded_)[i].tasks)) continue;
    if (spare(i)) i = recorded_->size();  // start over: what was needed before may be unnecessary now
  }
  if (session_.stats.scenarios_simulated == before) return;
  statement.rollback(0);
  [[maybe_unused]] const bool works = plays(fewest_);
  assert(works && "what worked before works again");
}

void Trimmer::start_room(const Solution& solution) {
  const Cluster& c = session_.cluster;
  with_all_.start(c, room_, solution.tasks);
  seen_.clear();
  for (TaskId t : recorded_->tasks())
    if (const NodeId home = home_of(c, t); seen_.insert(t) && home.valid())
      with_all_.free(home, freed_at(c, t, home));
}

// With equal demands: whether one task less would fit if these stayed.
bool Trimmer::are_needed(std::span<const TaskId> tasks) {
  if (!with_all_.has_equal_demands()) return false;
  const Cluster& c = session_.cluster;
  seen_.clear();
  for (TaskId t : tasks)
    if (const NodeId home = home_of(c, t); seen_.insert(t) && home.valid())
      stay_.add(c, home, -freed_at(c, t, home));
  return with_all_.slots() + stay_.count(with_all_) < with_all_.tasks();
}

// Tries to give back all tasks of the batch's job, or else the batch and the tasks taken from the job after
// it.
bool Trimmer::spare(std::size_t batch) {
  const JobId job = (*recorded_)[batch].job;
  const auto is_of_job = [&](std::size_t at) { return (*recorded_)[at].job == job; };
  std::size_t first = 0;
  while (!is_of_job(first)) ++first;
  return works_with([&](std::size_t at) { return !is_of_job(at); }) ||
         (first < batch && works_with([&](std::size_t at) { return at < batch || !is_of_job(at); }));
}

// Simulates the recorded victims without those that are not kept. On success those are given back; otherwise
// the statement is empty.
template <class Keep>
bool Trimmer::works_with(Keep keep) {
  if (budget_.reached() != Limit::kNone) return false;
  kept_.clear();
  for (std::size_t i = 0; i < recorded_->size(); ++i)
    if (keep(i)) kept_.append((*recorded_)[i].job, (*recorded_)[i].tasks);
  if (kept_.empty()) return false;
  statement_->rollback(0);
  victims_.clear();
  seen_.clear();
  add_unseen(kept_, seen_, victims_);
  if (!(*plays_)(victims_)) return false;
  fewest_ = victims_;
  recorded_->clear();
  seen_.clear();
  add_needed(session_.cluster, kept_, seen_, *recorded_);
  return true;
}

}  // namespace muster
