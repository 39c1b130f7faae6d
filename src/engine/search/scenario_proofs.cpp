// Adds up GPUs: those that become free, those that victims would take back, and those that may not be taken.
#include "engine/search/scenario_proofs.hpp"

#include <algorithm>
#include <utility>

namespace muster {
namespace {

// Whether amounts and the node object alone decide where it may go.
bool is_plain(const Shape& shape) {
  const Constraints& c = shape.constraints;
  return !shape.is_shared() && !shape.is_mig() && !shape.guaranteed && c.host_ports.empty() &&
         c.pod_affinity.empty() && c.pod_anti_affinity.empty() && c.volume_claims.empty() &&
         c.resource_claims.empty();
}

}  // namespace

void ScenarioProofs::start(JobId preemptor, const Candidates& candidates) {
  preemptor_ = preemptor;
  candidates_ = &candidates;
  has_turns_ = false;
}

void ScenarioProofs::start_probe(const VictimAccumulator& victims) {
  victims_ = &victims;
  wanted_ = session_.demand(victims.probe().tasks, session_.cluster.smallest_gpu());
}

bool ScenarioProofs::could_fit(const Batches& potential) {
  const RoomTest& room = victims_->recorded_room();
  if (!room.has_equal_demands()) return true;
  const Cluster& c = session_.cluster;
  seen_.clear();
  for (TaskId t : potential.tasks())
    if (seen_.insert(t) && !victims_->is_recorded(t)) freed_.add(c, c.placement(t).node, freed_gpus(c, t));
  slots_ = room.slots() + freed_.count(room);
  return slots_ >= room.tasks();
}

// With KAI's rules, a victim returns to its old node even if another place was found for it. More may then be
// placed than there is room for, so sums prove nothing.
bool ScenarioProofs::could_stay_away(std::span<const TaskId> victims) {
  const bool adds_up = session_.settings.compatibility.return_where_chosen && room_.exact_total();
  if (!session_.settings.prove_hopeless || candidates_->bounded != Bounded::kByShares || !adds_up)
    return true;
  const std::int64_t gpus = least_away(victims);
  return gpus <= 0 || (do_shares_allow(gpus, victims) && do_turns_leave(gpus, victims));
}

// The least number of GPUs whose victims have no place once the tasks are placed. If all tasks need d GPUs, a
// victim with g GPUs takes the room of at least ⌊g/d⌋ of them, wherever it is.
std::int64_t ScenarioProofs::least_away(std::span<const TaskId> victims) const {
  const RoomTest& room = victims_->room();
  const std::int64_t missing = room.demand() - *room_.exact_total();
  const std::int64_t each = room.smallest_demand();
  if (!room.has_equal_demands() || each <= 0) return missing;
  std::int64_t slots = room.tasks() - slots_;
  for (TaskId t : victims) slots += freed_gpus(session_.cluster, t) / each;
  return std::max(missing, slots * each);
}

// Whether all victims are interchangeable: each fits wherever another one was, and needs nothing else. Every
// victim's job that is served then finds a place.
bool ScenarioProofs::are_alike(std::span<const TaskId> victims) const {
  const Cluster& c = session_.cluster;
  const ShapeId shape = c.task(victims.front()).shape;
  return is_plain(c.shape(shape)) &&
         std::ranges::all_of(victims, [&](TaskId t) { return c.task(t).shape == shape; });
}

bool ScenarioProofs::do_turns_leave(std::int64_t gpus, std::span<const TaskId> victims) {
  if (!are_alike(victims)) return true;
  if (!std::exchange(has_turns_, true)) return_order_.start(preemptor_, play_.waiting());
  const Cluster& c = session_.cluster;
  for (TaskId t : victims) {
    if (return_order_.may_be_away(c.task(t).job)) gpus -= freed_gpus(c, t);
    if (gpus <= 0) return true;
  }
  return false;
}

bool ScenarioProofs::do_shares_allow(std::int64_t gpus, std::span<const TaskId> victims) {
  const Cluster& c = session_.cluster;
  if (session_.hooks.reclaim_shortage.empty()) return true;
  counted_.clear();
  taken_from_.clear();
  by_job_.resize(c.jobs().size());
  largest_.resize(c.queues().size());
  for (TaskId t : victims) {
    const JobId job = c.task(t).job;
    const QueueId leaf = c.job(job).queue;
    if (counted_.insert(job)) by_job_[job] = 0;
    if (taken_from_.insert(leaf)) largest_[leaf] = 0;
    largest_[leaf] = std::max(largest_[leaf], by_job_[job] += freed_gpus(c, t));
  }
  sources_.clear();
  for (QueueId leaf : candidates_->leaves)
    if (taken_from_.contains(leaf)) sources_.push_back({leaf, largest_[leaf]});
  return !session_.hooks.reclaim_shortage(
      {.preemptor = preemptor_, .wanted = wanted_, .gpus = gpus, .sources = sources_});
}

}  // namespace muster
