// The solver: probes with growing numbers of tasks, scenarios by the generators, and what is not needed given
// back.
#include "engine/search/solver.hpp"

#include <absl/hash/hash.h>

#include <algorithm>
#include <cassert>
#include <ranges>

#include "engine/order/gang_view.hpp"
#include "engine/search/probe_tasks.hpp"

namespace muster {
namespace {

// The nodes that a search for the job may use before anybody is evicted: those with free GPUs, or all if some
// task of it needs none.
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

// Where the task stood before the statement at hand evicted or moved it, and what it gives back there.
NodeId home_of(const Cluster& cluster, TaskId t) {
  const Placement& at = cluster.placement(t);
  if (at.status != TaskStatus::kPipelined || !at.leaving.valid()) return at.node;
  return at.passing.valid() ? at.passing : at.leaving;
}
std::int64_t freed_at(const Cluster& cluster, TaskId t, NodeId home) {
  return cluster.accepted(cluster.shape_of(t), home).units[index(Accounted::kGpus)];
}

}  // namespace

Solver::Solver(Session& session, std::string action)
    : Solver(session, std::move(action), nullptr, Line::kContender) {}

Solver::Solver(Session& session, std::string action, std::unique_ptr<VictimPool> pool, Line line)
    : session_(session),
      action_(std::move(action)),
      pool_(std::move(pool)),
      simulation_(session, line),
      room_(session.cluster),
      budget_(session.settings.search, session.stats, action_) {
  std::vector<GeneratorFactory> factories;
  session_.hooks.generators(factories);
  for (GeneratorFactory& f : factories) generators_.push_back({std::move(f), nullptr});
}
Solver::~Solver() = default;

VictimPool& Solver::pool() {
  if (pool_ == nullptr) pool_ = std::make_unique<VictimPool>(session_);
  return *pool_;
}

Outcome Solver::solve(Statement& statement, JobId contender, const Candidates& candidates,
                      const ScenarioValidator& valid) {
  last_failure_ = {};
  if (session_.chunk(contender, true).tasks.empty()) return Outcome::kNothingToPlace;
  if (generators_.empty()) return Outcome::kNoGenerator;
  if (!budget_.start_job()) return Outcome::kOutOfTime;
  start(contender, candidates, valid);
  for (Generator& generator : generators_) {
    if (!search(statement, generator)) {
      if (limit_ == Limit::kJob || limit_ == Limit::kTime) break;
      continue;
    }
    if (!is_whole()) {
      statement.rollback(0);
      return Outcome::kNoSolution;
    }
    trim(statement);
    return Outcome::kSolved;
  }
  return unsolved();
}

void Solver::start(JobId contender, const Candidates& candidates, const ScenarioValidator& valid) {
  contender_ = contender;
  valid_ = &valid;
  const Chunk& chunk = session_.chunk(contender, true);
  tasks_.assign(chunk.tasks.begin(), chunk.tasks.end());
  find_feasible(session_, room(), contender, feasible_);
  failed_.clear();
  for_now_.clear();
  limit_ = Limit::kNone;
  if (session_.memory != nullptr) session_.memory->recall(session_.cluster, action_, contender, failed_);
  if (accumulator_ == nullptr) accumulator_ = std::make_unique<VictimAccumulator>(session_, pool(), room_);
  accumulator_->begin(candidates);
  extra_.resize(session_.cluster.nodes_by_name().size(), 0);
}

Outcome Solver::unsolved() {
  const bool is_cut = limit_ == Limit::kJob || limit_ == Limit::kTime;
  if (session_.memory != nullptr) {
    for (std::size_t scenario : for_now_) failed_.erase(scenario);
    if (is_cut)
      session_.memory->remember(session_.cluster, action_, contender_, failed_);
    else
      session_.memory->forget(session_.cluster, action_, contender_);
  }
  if (!is_cut) return Outcome::kNoSolution;
  return limit_ == Limit::kTime ? Outcome::kOutOfTime : Outcome::kCutShort;
}

bool Solver::is_whole() const {
  const Job& job = session_.cluster.job(contender_);
  if (!session_.settings.compatibility.satisfaction_along_tree) return is_flatly_satisfied(job, kActiveUsed);
  return is_satisfied(job, Member{.is_pod_set = false, .at = 0});
}

void Solver::committed(JobId contender) {
  moved_.assign(simulation_.victim_jobs().begin(), simulation_.victim_jobs().end());
  if (std::find(moved_.begin(), moved_.end(), contender) == moved_.end()) moved_.push_back(contender);
  for (JobId j : moved_) simulation_.changed(j);
  pool().changed(moved_);
}

// ---------------------------------------------------------------- probes

// One task, two, four …, then bisection, and in the end all of them: actions.md 9.2.
bool Solver::search(Statement& statement, Generator& generator) {
  if (generator.made == nullptr) generator.made = generator.factory.make();
  budget_.start_generator(generator.factory.name);
  recorded_.clear();
  kept_ = false;
  const std::size_t n = tasks_.size();
  const auto trial = [&](std::size_t k) {
    const bool solved = probe(statement, generator, k);
    if (solved && !kept_) statement.rollback(0);
    return solved;
  };
  if (generator.factory.is_whole) return trial(n) && (kept_ || probe(statement, generator, n));
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
  tasks_of_partial_copy(session_, contender_, first, partial_);
  return partial_;
}

// The first scenario in which the first k tasks find their places stays in the statement.
bool Solver::probe(Statement& statement, Generator& generator, std::size_t k) {
  const auto tasks = tasks_of_probe(k);
  if (tasks.empty()) return false;
  room_.update();
  accumulator_->start({contender_, tasks, &recorded_, &feasible_});
  generator.made->start(*accumulator_);
  while (generator.made->next(potential_)) {
    if (!could_fit(potential_)) continue;
    collect(recorded_, potential_);
    if (victims_.empty()) continue;
    sorted_.assign(victims_.begin(), victims_.end());
    std::sort(sorted_.begin(), sorted_.end());
    const std::size_t scenario = absl::HashOf(k, sorted_);
    if (failed_.contains(scenario)) continue;
    limit_ = budget_.reached();
    if (limit_ != Limit::kNone) return false;
    const auto failure = simulate(statement, tasks);
    if (!failure) {
      const std::size_t all = recorded_.size() + potential_.size();
      record(recorded_, potential_);
      kept_ = k == tasks_.size() && recorded_.size() == all;
      return true;
    }
    failed_.insert(scenario);
    if (failure->until) for_now_.push_back(scenario);
  }
  return false;
}

std::optional<VictimRefusal> Solver::simulate(Statement& statement, std::span<const TaskId> tasks) {
  const auto failure = simulation_.run(statement, {.contender = contender_,
                                                   .tasks = tasks,
                                                   .victims = victims_,
                                                   .feasible = feasible_,
                                                   .valid = *valid_});
  if (failure) {
    statement.rollback(0);
    last_failure_ = failure->rule;
  }
  return failure;
}

void Solver::collect(const Batches& recorded, const Batches& potential) {
  victims_.clear();
  seen_.clear();
  for (const Batches* batches : {&recorded, &potential})
    for (TaskId t : batches->tasks())
      if (seen_.insert(t)) victims_.push_back(t);
}

// Every batch that holds a task still evicted or moved is part of all later scenarios.
void Solver::record(const Batches& recorded, const Batches& potential) {
  trial_.clear();
  seen_.clear();
  for (const Batches* batches : {&recorded, &potential})
    for (std::size_t i = 0; i < batches->size(); ++i) {
      bool needed = false;
      for (TaskId t : (*batches)[i].tasks) {
        const TaskStatus status = session_.cluster.placement(t).status;
        const bool away = status == TaskStatus::kReleasing || status == TaskStatus::kPipelined;
        needed = (away && seen_.insert(t)) || needed;
      }
      if (needed) trial_.append((*batches)[i].job, (*batches)[i].tasks);
    }
  std::swap(recorded_, trial_);
}

// ---------------------------------------------------------------- a proof of no for one scenario

// With equal demands, room is counted in whole tasks.
bool Solver::could_fit(const Batches& potential) {
  const RoomTest& room = accumulator_->recorded_room();
  if (!room.has_equal_demands() || room.slots() >= room.tasks()) return true;
  return room.slots() + slots_changed(room, potential.tasks(), +1) >= room.tasks();
}

// How many more tasks would have room if these were gone, or came back; recorded ones count already.
std::int64_t Solver::slots_changed(const RoomTest& room, std::span<const TaskId> tasks, std::int64_t sign) {
  const Cluster& c = session_.cluster;
  seen_.clear();
  touched_.clear();
  for (TaskId t : tasks) {
    const NodeId home = sign > 0 ? c.placement(t).node : home_of(c, t);
    if (!seen_.insert(t) || !home.valid() || !c.node(home).present ||
        (sign > 0 && accumulator_->is_recorded(t)))
      continue;
    const std::uint32_t rank = c.rank(home);
    if (extra_[rank] == 0) touched_.push_back(rank);
    extra_[rank] += sign * freed_at(c, t, home);
  }
  std::int64_t slots = 0;
  for (std::uint32_t rank : touched_) slots += room.slots_with(rank, std::exchange(extra_[rank], 0));
  return slots;
}

// ---------------------------------------------------------------- trimming

// Plays the recorded victims without those that are not kept. On success they are given up; otherwise the
// statement is empty.
template <class Keep>
bool Solver::works_with(Statement& statement, Keep keep) {
  if (budget_.reached() != Limit::kNone) return false;
  Batches kept;
  for (std::size_t i = 0; i < recorded_.size(); ++i)
    if (keep(i)) kept.append(recorded_[i].job, recorded_[i].tasks);
  if (kept.empty()) return false;
  statement.rollback(0);
  collect(kept, {});
  if (simulate(statement, tasks_)) return false;
  works_ = victims_;
  record(kept, {});
  return true;
}

// With equal demands: one task less would have room if these stayed.
bool Solver::are_needed(std::span<const TaskId> tasks) {
  return with_all_.has_equal_demands() &&
         with_all_.slots() + slots_changed(with_all_, tasks, -1) < with_all_.tasks();
}

// Gives back victims that turn out not to be needed: whole jobs, or what was taken last of a job. The last
// first, so that no gang keeps its surplus without its core.
void Solver::trim(Statement& statement) {
  if (!session_.settings.compatibility.trim_victims || recorded_.size() < 2) return;
  const Cluster& c = session_.cluster;
  with_all_.start(c, room_, tasks_);
  seen_.clear();
  for (TaskId t : recorded_.tasks())
    if (const NodeId home = home_of(c, t); seen_.insert(t) && home.valid())
      with_all_.free(home, freed_at(c, t, home));
  works_ = victims_;
  const std::int64_t before = session_.stats.scenarios_simulated;
  for (std::size_t i = recorded_.size(); i-- > 0;) {
    if (i >= recorded_.size() || are_needed(recorded_[i].tasks)) continue;
    const JobId job = recorded_[i].job;
    const auto is_of_job = [&](std::size_t at) { return recorded_[at].job == job; };
    const bool has_earlier = std::ranges::any_of(std::views::iota(std::size_t{0}, i), is_of_job);
    const bool spared =
        works_with(statement, [&](std::size_t at) { return !is_of_job(at); }) ||
        (has_earlier && works_with(statement, [&](std::size_t at) { return at < i || !is_of_job(at); }));
    if (spared) i = recorded_.size();  // from the beginning: what was needed may not be now
  }
  if (session_.stats.scenarios_simulated == before) return;
  statement.rollback(0);
  victims_ = works_;
  [[maybe_unused]] const bool works = !simulate(statement, tasks_);
  assert(works && "what worked before works again");
}

}  // namespace muster
