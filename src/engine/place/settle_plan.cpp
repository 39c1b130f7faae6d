// Nominated jobs are placed in the order in which they were nominated, each gang as a whole or not at all.
#include "engine/place/settle_plan.hpp"

#include <algorithm>
#include <vector>

#include "engine/cycle/statement.hpp"
#include "engine/order/waiting_jobs.hpp"
#include "engine/place/allocation.hpp"
#include "engine/place/place_next.hpp"

namespace muster {
namespace {

struct NominatedJob {
  JobId job;
  std::vector<TaskId> tasks;
  std::vector<Placement> places;
};

// Adds nominated tasks, grouped by job.
class NominatedJobs {
 public:
  explicit NominatedJobs(const Cluster& cluster) : cluster_(cluster) {}
  void add(TaskId task, const Placement& place) {
    if (!seen_.insert(task)) return;
    const auto [at, is_new] = index_.try_emplace(cluster_.task(task).job, jobs_.size());
    if (is_new) jobs_.push_back({.job = at->first, .tasks = {}, .places = {}});
    jobs_[at->second].tasks.push_back(task);
    jobs_[at->second].places.push_back(place);
  }
  std::vector<NominatedJob> take() { return std::move(jobs_); }

 private:
  const Cluster& cluster_;
  std::vector<NominatedJob> jobs_;
  absl::flat_hash_map<JobId, std::size_t> index_;
  Stamps<TaskId> seen_;
};

Bitmap nodes_of(const Cluster& cluster, const NominatedJob& nominated) {
  Bitmap nodes(cluster.nodes_by_name().size());
  for (const Placement& at : nominated.places) nodes.set(cluster.rank(at.node));
  return nodes;
}

// ---------------------------------------------------------------- from one cycle to the next

std::vector<NominatedJob> nominated_last(Session& s) {
  Cluster& cluster = s.cluster;
  NominatedJobs jobs(cluster);
  for (const Cluster::NominatedPlace& place : cluster.take_nominations()) {
    if (place.task.index() >= cluster.tasks().size()) continue;
    const Task& task = cluster.task(place.task);
    const bool is_same = task.alive && task.uid == place.uid && task.in_job();
    if (is_same && cluster.node(place.node).present &&
        cluster.placement(place.task).status == TaskStatus::kPending)
      jobs.add(place.task, {.node = place.node});
  }
  return jobs.take();
}

// Places the job as far as it was nominated.
void place_as_before(Session& s, const NominatedJob& nominated) {
  const Bitmap nodes = nodes_of(s.cluster, nominated);
  const auto was_nominated = [&](TaskId t) {
    return std::ranges::find(nominated.tasks, t) != nominated.tasks.end();
  };
  while (!why_not_considered(s.cluster, nominated.job)) {
    const Chunk chunk = s.chunk(nominated.job, Evicted::kAreGone);
    if (chunk.tasks.empty() || !std::ranges::all_of(chunk.tasks, was_nominated)) return;
    if (place_next(s, "allocate", nominated.job, &nodes)) return;
  }
}

// ---------------------------------------------------------------- from one round to the next

// Jobs nominated in this cycle, without those that still run elsewhere.
std::vector<NominatedJob> nominated_now(const Session& s) {
  NominatedJobs jobs(s.cluster);
  for (TaskId t : s.pipelined())
    if (const Placement& at = s.cluster.placement(t); at.status == TaskStatus::kPipelined) jobs.add(t, at);
  std::vector<NominatedJob> found = jobs.take();
  std::erase_if(found, [](const NominatedJob& job) {
    return std::ranges::any_of(job.places, [](const Placement& at) { return at.source.valid(); });
  });
  return found;
}

// Places the tasks on the nominated nodes if all of them can start there now.
bool bind_now(Session& s, const NominatedJob& nominated) {
  const Job& job = s.cluster.job(nominated.job);
  const bool was_started = job.counts.in(kAllocatedSet) > 0;
  const Bitmap nodes = nodes_of(s.cluster, nominated);
  Statement st(s);
  if (allocate_or_refuse(s, st, {.job = nominated.job, .tasks = nominated.tasks, .allowed = &nodes}))
    return false;
  for (TaskId t : nominated.tasks)
    if (s.cluster.placement(t).status != TaskStatus::kAllocated) return false;
  st.commit(s.stats.action, nominated.job);
  s.cluster.placed(nominated.job);
  if (!was_started) s.note_start(nominated.job);
  return true;
}

bool bind_or_leave(Session& s, const NominatedJob& nominated) {
  for (TaskId t : nominated.tasks) s.move(t, {.status = TaskStatus::kPending});
  if (bind_now(s, nominated)) return true;
  for (std::size_t i = 0; i < nominated.tasks.size(); ++i) s.move(nominated.tasks[i], nominated.places[i]);
  return false;
}

}  // namespace

void restore_plan(Session& s) {
  for (const NominatedJob& nominated : nominated_last(s)) place_as_before(s, nominated);
}

bool settle_plan(Session& s) {
  bool changes_plan = s.withdraw_binds();
  if (!s.has_withdrawn()) return false;
  for (const NominatedJob& nominated : nominated_now(s))
    if (bind_or_leave(s, nominated)) changes_plan = true;
  return changes_plan;
}

}  // namespace muster
