// Probes with growing numbers of the preemptor's tasks, each with the scenarios that the generators propose.
#include "engine/search/solver.hpp"

#include <absl/hash/hash.h>

#include <algorithm>

#include "engine/search/partial_job.hpp"
#include "engine/search/search_memory.hpp"

namespace muster {
namespace {

// The nodes that a search for the job may use without any eviction: those with free GPUs, or all if one of
// its tasks needs none.
void find_feasible(const Session& s, const GpuRoom& room, JobId id, Bitmap& nodes) {
  const auto needs_none = [&](TaskId t) {
    return s.cluster.shape_of(t).is_cpu_only() || s.cluster.placement(t).status == TaskStatus::kSucceeded;
  };
  const auto& sets = s.cluster.job(id).pod_sets;
  const bool everywhere = std::any_of(sets.begin(), sets.end(), [&](const PodSet& p) {
    return std::any_of(p.tasks.begin(), p.tasks.end(), needs_none);
  });
  nodes = room.nodes_with_room();
  if (everywhere) nodes.fill();
}

}  // namespace

Solver::Solver(Session& session, std::string action)
    : Solver(session, std::move(action), nullptr, Line::kPreemptor) {}

Solver::Solver(Session& session, std::string action, std::unique_ptr<VictimPool> pool, Line line)
    : session_(session),
      action_(std::move(action)),
      has_own_victims_(pool != nullptr),
      pool_(std::move(pool)),
      play_(session, line),
      owned_room_(session.spare_room != nullptr ? std::move(session.spare_room)
                                                : std::make_unique<GpuRoom>(session.cluster)),
      room_(*owned_room_),
      budget_(session, action_),
      trimmer_(session, room_, budget_),
      proofs_(session, room_, play_) {
  std::vector<GeneratorFactory> factories;
  session_.hooks.generators(factories);
  for (GeneratorFactory& f : factories) generators_.push_back({std::move(f), nullptr});
}
Solver::~Solver() {
  session_.spare_room = std::move(owned_room_);
  if (!has_own_victims_ && pool_ != nullptr) session_.cached_victims = std::move(pool_);
}

VictimPool& Solver::pool() {
  if (pool_ != nullptr) return *pool_;
  pool_ = std::move(session_.cached_victims);
  if (pool_ == nullptr || !pool_->is_up_to_date())
    pool_ = std::make_unique<VictimPool>(session_);
  else
    pool_->forget_bounds();
  return *pool_;
}

Outcome Solver::solve(Statement& statement, JobId preemptor, const Candidates& candidates,
                      const ScenarioCheck& refusal) {
  ended_ = {};
  if (session_.chunk(preemptor).tasks.empty()) return Outcome::kNothingToPlace;
  if (generators_.empty()) return Outcome::kNoGenerator;
  if (!budget_.start_job()) return Outcome::kOutOfTime;
  start(preemptor, candidates, refusal);
  for (Generator& generator : generators_) {
    if (generator.made == nullptr) generator.made = generator.factory.make();
    if (!generator.made->serves(candidates)) continue;
    if (!search(statement, generator)) {
      note_next_chance(*generator.made);
      if (limit_ == Limit::kJob || limit_ == Limit::kTime) break;
      continue;
    }
    if (!is_preemptor_satisfied()) {
      statement.rollback(0);
      return Outcome::kNoSolution;
    }
    trim(statement);
    return Outcome::kSolved;
  }
  return unsolved();
}

void Solver::start(JobId preemptor, const Candidates& candidates, const ScenarioCheck& refusal) {
  preemptor_ = preemptor;
  refusal_ = &refusal;
  const Chunk& chunk = session_.chunk(preemptor);
  tasks_.assign(chunk.tasks.begin(), chunk.tasks.end());
  failed_.clear();
  for_now_.clear();
  limit_ = Limit::kNone;
  if (session_.memory != nullptr) session_.memory->recall(session_, action_, preemptor, failed_);
  if (accumulator_ == nullptr) accumulator_ = std::make_unique<VictimAccumulator>(session_, pool(), room_);
  accumulator_->begin(candidates);
  proofs_.start(preemptor, candidates);
}

void Solver::end_as_before(const SearchEnded& ended) { ended_ = ended; }

void Solver::note_next_chance(const ScenarioGenerator& generator) {
  const auto chance = generator.next_chance();
  if (chance && (!ended_.until || *chance < *ended_.until)) ended_.until = chance;
}

Outcome Solver::unsolved() {
  ended_.scenarios = budget_.scenarios();
  const bool is_cut = limit_ == Limit::kJob || limit_ == Limit::kTime;
  if (session_.memory != nullptr) {
    for (std::size_t scenario : for_now_) failed_.erase(scenario);
    if (is_cut)
      session_.memory->remember(session_, action_, preemptor_, failed_);
    else
      session_.memory->forget(session_, action_, preemptor_);
  }
  if (!is_cut) return Outcome::kNoSolution;
  return limit_ == Limit::kTime ? Outcome::kOutOfTime : Outcome::kCutShort;
}

// Whether the preemptor has all it needs to run.
bool Solver::is_preemptor_satisfied() const {
  const Job& job = session_.cluster.job(preemptor_);
  if (!session_.settings.compatibility.satisfaction_along_tree) return is_flatly_satisfied(job, kActiveUsed);
  return is_satisfied(job, kRoot);
}

void Solver::note_commit(JobId preemptor) {
  moved_.assign(play_.victim_jobs().begin(), play_.victim_jobs().end());
  if (std::find(moved_.begin(), moved_.end(), preemptor) == moved_.end()) moved_.push_back(preemptor);
  for (JobId j : moved_) play_.update(j);
  pool().update(moved_);
}

// ---------------------------------------------------------------- probes

// Tries one task, two, four, and so on, then bisects, and ends with all of them: actions.md 9.2.
bool Solver::search(Statement& statement, Generator& generator) {
  find_feasible(session_, room(), preemptor_, feasible_);
  to_all_nodes_ = generator.made->moves_to_all_nodes();
  if (to_all_nodes_) feasible_.fill();
  budget_.start_generator(generator.factory.name);
  recorded_.clear();
  kept_ = false;
  const std::size_t n = tasks_.size();
  const auto trial = [&](std::size_t k) {
    const bool solved = probe(statement, generator, k);
    if (solved && !kept_) statement.rollback(0);
    return solved;
  };
  if (generator.factory.wants_all_tasks) return trial(n) && (kept_ || probe(statement, generator, n));
  std::size_t solved = 0, unsolved = 0;
  for (std::size_t k = 1; unsolved == 0 && solved < n; k = std::min(2 * k, n))
    (trial(k) ? solved : unsolved) = k;
  if (solved == 0) return false;
  while (unsolved != 0 && unsolved - solved > 1) {
    const std::size_t middle = (solved + unsolved) / 2;
    (trial(middle) ? solved : unsolved) = middle;
  }
  return kept_ || probe(statement, generator, n);
}

std::span<const TaskId> Solver::tasks_of_probe(std::size_t k) {
  const auto first = std::span<const TaskId>(tasks_).first(k);
  if (session_.settings.compatibility.probes_try_all_tasks) return first;
  tasks_of_partial_copy(session_, preemptor_, first, partial_);
  return partial_;
}

// Leaves in the statement the first scenario in which the first k tasks are placed.
bool Solver::probe(Statement& statement, Generator& generator, std::size_t k) {
  const auto tasks = tasks_of_probe(k);
  if (tasks.empty()) return false;
  room_.update();
  accumulator_->start({preemptor_, tasks, &recorded_, &feasible_});
  proofs_.start_probe(*accumulator_);
  generator.made->start(*accumulator_);
  while (generator.made->next(potential_)) {
    if (!proofs_.could_fit(potential_)) continue;
    collect_victims();
    if (victims_.empty() || !proofs_.could_stay_away(victims_)) continue;
    const std::size_t scenario = fingerprint(k);
    if (failed_.contains(scenario)) continue;
    limit_ = budget_.reached();
    if (limit_ != Limit::kNone) return false;
    const auto failure = play_or_refuse(statement, tasks, victims_);
    if (!failure) {
      const std::size_t all = recorded_.size() + potential_.size();
      record_victims();
      kept_ = k == tasks_.size() && recorded_.size() == all;
      return true;
    }
    failed_.insert(scenario);
    if (failure->until) for_now_.push_back(scenario);
  }
  return false;
}

// A hash of the scenario with the current victims.
std::size_t Solver::fingerprint(std::size_t k) {
  sorted_.assign(victims_.begin(), victims_.end());
  std::sort(sorted_.begin(), sorted_.end());
  return absl::HashOf(k, to_all_nodes_, sorted_);
}

std::optional<VictimRefusal> Solver::play_or_refuse(Statement& statement, std::span<const TaskId> tasks,
                                                    std::span<const TaskId> victims) {
  const auto failure = play_.run(statement, {.preemptor = preemptor_,
                                             .tasks = tasks,
                                             .victims = victims,
                                             .feasible = feasible_,
                                             .room = room_,
                                             .refusal = *refusal_});
  if (failure) {
    statement.rollback(0);
    ended_.last_failure = failure->rule;
    std::optional<VictimRefusal>& soonest = ended_.soonest;
    if (failure->until && (!soonest || *failure->until < *soonest->until)) soonest = failure;
  }
  return failure;
}

void Solver::collect_victims() {
  victims_.clear();
  seen_.clear();
  add_unseen(recorded_, seen_, victims_);
  add_unseen(potential_, seen_, victims_);
}

// Every batch with a task that is still evicted or moved becomes part of all later scenarios.
void Solver::record_victims() {
  needed_.clear();
  seen_.clear();
  add_needed(session_.cluster, recorded_, seen_, needed_);
  add_needed(session_.cluster, potential_, seen_, needed_);
  std::swap(recorded_, needed_);
}

void Solver::trim(Statement& statement) {
  if (!session_.settings.compatibility.trim_victims || recorded_.size() < 2) return;
  trimmer_.trim(statement, {.tasks = tasks_, .victims = victims_, .recorded = recorded_},
                [&](std::span<const TaskId> victims) { return !play_or_refuse(statement, tasks_, victims); });
}

}  // namespace muster
