// Evicts the victims, places all jobs concerned in scheduling order, and has the outcome judged.
#include "engine/search/scenario_play.hpp"

#include <algorithm>

#include "engine/place/allocation.hpp"
#include "engine/search/partial_job.hpp"

namespace muster {
namespace {

// Whether it only takes and frees whole GPUs of its node.
bool takes_whole_gpus(const Shape& shape) {
  return !shape.is_shared() && !shape.is_mig() && shape.constraints.resource_claims.empty();
}

}  // namespace

std::optional<VictimRefusal> ScenarioPlay::run(Statement& statement, const Play& play) {
  ++session_.stats.scenarios_simulated;
  collect_jobs(play.victims);
  nodes_ = play.feasible;
  start_room(play);
  for (TaskId t : play.victims) {
    const NodeId home = session_.cluster.placement(t).node;
    if (session_.cluster.node(home).present) nodes_.set(session_.cluster.rank(home));
    if (counts_room_) left_.free(home, freed_gpus(session_.cluster, t));
    statement.evict(t);
  }
  const bool placed = line_ == Line::kAll ? place_line(statement, play) : place_all(statement, play);
  if (!placed) return VictimRefusal{.rule = "the job still does not fit"};
  group_victims(play.victims);
  return play.refusal({.preemptor = play.preemptor, .preemptor_tasks = play.tasks, .victims = by_job_});
}

// With KAI's rules, victims may return to places without room: see ScenarioProofs.
void ScenarioPlay::start_room(const Play& play) {
  const auto is_counted = [&](TaskId t) { return takes_whole_gpus(session_.cluster.shape_of(t)); };
  counts_room_ = line_ == Line::kPreemptor && session_.settings.compatibility.return_where_chosen &&
                 session_.settings.prove_hopeless && play.room.exact_total() &&
                 std::ranges::all_of(play.tasks, is_counted);
  if (counts_room_) left_.start(session_.cluster, play.room, play.tasks);
}

// In the order in which they were taken.
void ScenarioPlay::collect_jobs(std::span<const TaskId> victims) {
  victim_jobs_.clear();
  places_.clear();
  for (TaskId t : victims) {
    const JobId job = session_.cluster.task(t).job;
    if (places_.try_emplace(job, static_cast<std::uint32_t>(victim_jobs_.size())).second)
      victim_jobs_.push_back(job);
  }
}

const WaitingLine& ScenarioPlay::waiting() {
  if (waiting_ == nullptr) {
    const bool is_line = line_ == Line::kAll;
    const auto who = is_line ? WaitingLine::Who::kConsidered : WaitingLine::Who::kAll;
    const auto filled = is_line ? ScenarioOrder::Filled::kByAge : ScenarioOrder::Filled::kByQueue;
    waiting_ = std::make_unique<WaitingLine>(session_, who);
    order_ = std::make_unique<ScenarioOrder>(session_, *waiting_, filled);
  }
  return *waiting_;
}

// Inserts the preemptor and the victims' jobs into the order of pending jobs.
void ScenarioPlay::line_up(const Play& play) {
  waiting();
  contestants_.clear();
  contestants_.push_back({partial_entry(session_, play.preemptor, play.tasks),
                          session_.demand(play.tasks, session_.cluster.smallest_gpu())});
  for (JobId j : victim_jobs_) {
    if (j == play.preemptor || !session_.cluster.job(j).is_in_named_queue) continue;
    contestants_.push_back({session_.entry(j), session_.chunk(j).wanted});
    contestants_.back().job.joins_now = line_ == Line::kAll;
  }
  order_->start(contestants_);
}

bool ScenarioPlay::place_all(Statement& statement, const Play& play) {
  line_up(play);
  bool reached = false;
  for (JobId j = order_->pop(); j.valid(); j = order_->pop()) {
    if (j == play.preemptor) {
      if (!place(statement, j, play.tasks)) return false;
      reached = true;
      continue;
    }
    place_again(statement, j);
    if (!reached && !is_room_left()) return false;
  }
  return reached;
}

// A gang that would be incomplete could not start on its new nodes, so it is not moved.
bool ScenarioPlay::place_again(Statement& statement, JobId j) {
  const Chunk chunk = session_.chunk(j);
  const auto before = statement.checkpoint();
  if (!place(statement, j, chunk.tasks)) return false;
  const Job& job = session_.cluster.job(j);
  const auto is_moved = [&](TaskId t) {
    return session_.cluster.placement(t).status == TaskStatus::kPipelined;
  };
  if (session_.settings.compatibility.move_only_whole_gangs && !is_satisfied(job, kRoot) &&
      std::ranges::any_of(chunk.tasks, is_moved)) {
    statement.rollback(before);
    return false;
  }
  if (counts_room_) take_room(chunk.tasks);
  return true;
}

void ScenarioPlay::take_room(std::span<const TaskId> placed) {
  const Cluster& c = session_.cluster;
  for (TaskId t : placed)
    if (takes_whole_gpus(c.shape_of(t))) left_.free(c.placement(t).node, -freed_gpus(c, t));
}

bool ScenarioPlay::place(Statement& statement, JobId job, std::span<const TaskId> tasks) {
  return !allocate_or_refuse(session_, statement,
                             {.job = job, .tasks = tasks, .allowed = &nodes_, .pipeline_only = true});
}

// Jobs before the preemptor take any places they can get. They only show whether the preemptor's place would
// be left, and are undone at the end.
bool ScenarioPlay::place_line(Statement& statement, const Play& play) {
  line_up(play);
  lent_.clear();
  for (JobId j = order_->pop_any(); j != play.preemptor; j = order_->pop_any()) {
    if (!j.valid()) return false;
    if (places_.contains(j)) {
      place_again(statement, j);
      continue;
    }
    const Chunk chunk = session_.chunk(j);
    if (!allocate_or_refuse(session_, statement, {.job = j, .tasks = chunk.tasks, .pipeline_only = true}))
      lent_.insert(lent_.end(), chunk.tasks.begin(), chunk.tasks.end());
  }
  if (!place(statement, play.preemptor, play.tasks)) return false;
  for (JobId j = order_->pop(); j.valid(); j = order_->pop()) place_again(statement, j);
  for (TaskId t : lent_) statement.take_back(t);
  return true;
}

void ScenarioPlay::group_victims(std::span<const TaskId> victims) {
  const auto place = [&](TaskId t) { return places_.find(session_.cluster.task(t).job)->second; };
  ends_.assign(victim_jobs_.size(), 0);
  for (TaskId t : victims) ++ends_[place(t)];
  by_job_.clear();
  grouped_.resize(victims.size());
  std::uint32_t begin = 0;
  for (std::size_t i = 0; i < victim_jobs_.size(); ++i) {
    by_job_.push_back({victim_jobs_[i], std::span<const TaskId>(grouped_).subspan(begin, ends_[i])});
    begin += std::exchange(ends_[i], begin);
  }
  for (TaskId t : victims) grouped_[ends_[place(t)]++] = t;
}

}  // namespace muster
