// The solver: probes with growing numbers of tasks, scenarios by the generators, simulation, validation.
#include "engine/solver.hpp"

#include <absl/hash/hash.h>

#include <algorithm>

#include "engine/allocation.hpp"
#include "engine/gang_view.hpp"

namespace muster {

Bitmap feasible_nodes(const Session& s, const GpuRoom& room, JobId id) {
  const Job& job = s.cluster.job(id);
  const auto needs_none = [&](TaskId t) {
    return s.cluster.shape_of(t).is_cpu_only() || s.cluster.placement(t).status == TaskStatus::kSucceeded;
  };
  const bool everywhere = std::any_of(job.pod_sets.begin(), job.pod_sets.end(), [&](const PodSet& p) {
    return std::any_of(p.tasks.begin(), p.tasks.end(), needs_none);
  });
  Bitmap nodes = room.nodes_with_room();
  if (everywhere) nodes.fill();
  return nodes;
}

struct Solver::Search {
  Statement& statement;
  JobId contender;
  const Candidates& candidates;
  const ScenarioValidator& valid;
  std::vector<TaskId> tasks;   // all that must find a place
  Bitmap feasible;
  Batches recorded;
  bool kept = false;           // the statement holds a solution for all tasks
  absl::flat_hash_set<std::size_t> failed;  // fingerprints of scenarios
};

Solver::Solver(Session& session) : session_(session), room_(session.cluster) {
  session_.hooks.generators(generators_);
}
Solver::~Solver() = default;

VictimPool& Solver::pool() {
  if (pool_ == nullptr) pool_ = std::make_unique<VictimPool>(session_);
  return *pool_;
}

Outcome Solver::solve(Statement& statement, JobId contender, const Candidates& candidates,
                      const ScenarioValidator& valid) {
  const Chunk& chunk = session_.chunk(contender, true);
  if (chunk.tasks.empty()) return Outcome::kNothingToPlace;
  if (generators_.empty()) return Outcome::kNoGenerator;
  room_.update();
  Search search{.statement = statement,
                .contender = contender,
                .candidates = candidates,
                .valid = valid,
                .tasks = {chunk.tasks.begin(), chunk.tasks.end()},
                .feasible = feasible_nodes(session_, room_, contender)};
  for (const GeneratorFactory& factory : generators_) {
    search.recorded.clear();
    const auto generator = factory.make();
    if (!this->search(search, *generator)) continue;
    if (is_whole(contender)) return Outcome::kSolved;
    statement.rollback(0);
    return Outcome::kNoSolution;
  }
  return Outcome::kNoSolution;
}

bool Solver::is_whole(JobId contender) const {
  const Job& job = session_.cluster.job(contender);
  if (!session_.settings.differences.satisfaction_along_tree) return is_flatly_satisfied(job, kActiveUsed);
  return is_satisfied(job, Member{.is_pod_set = false, .at = 0});
}

void Solver::committed(JobId contender) {
  if (waiting_ != nullptr) waiting_->changed(contender);
  if (pool_ != nullptr) pool_->changed(contender);
  for (JobId j : victim_jobs_) {
    if (waiting_ != nullptr) waiting_->changed(j);
    if (pool_ != nullptr) pool_->changed(j);
  }
}

// One task, two, four …, then bisection, and in the end all of them: actions.md 9.2.
bool Solver::search(Search& s, ScenarioGenerator& generator) {
  const std::size_t n = s.tasks.size();
  const auto trial = [&](std::size_t k) {
    const bool solved = probe(s, generator, k);
    if (solved && !s.kept) s.statement.rollback(0);
    return solved;
  };
  std::size_t solved = 0, unsolved = 0;
  for (std::size_t k = 1; unsolved == 0 && solved < n; k = std::min(2 * k, n)) (trial(k) ? solved : unsolved) = k;
  if (solved == 0) return false;
  while (unsolved != 0 && unsolved - solved > 1) {
    const std::size_t middle = (solved + unsolved) / 2;
    (trial(middle) ? solved : unsolved) = middle;
  }
  return s.kept || probe(s, generator, n);
}

// The first scenario in which the first k tasks find their places stays in the statement.
bool Solver::probe(Search& s, ScenarioGenerator& generator, std::size_t k) {
  const Probe probe{.contender = s.contender,
                    .tasks = std::span<const TaskId>(s.tasks).first(k),
                    .recorded = &s.recorded,
                    .feasible = &s.feasible};
  room_.update();
  VictimAccumulator victims(session_, pool(), room_, s.candidates, probe);
  const RoomTest recorded_room = victims.room();
  generator.start(victims);
  for (Batches potential; generator.next(potential);) {
    collect_victims(s.recorded, potential);
    std::vector<TaskId> sorted = victims_;
    std::sort(sorted.begin(), sorted.end());
    std::size_t fingerprint = absl::HashOf(k, sorted);
    if (s.failed.contains(fingerprint)) continue;
    if (!victims_.empty() && could_fit(s, recorded_room, potential) && simulate(s, probe.tasks, potential)) {
      const std::size_t recorded_before = s.recorded.size() + potential.size();
      record(s, potential);
      s.kept = k == s.tasks.size() && s.recorded.size() == recorded_before;
      return true;
    }
    s.statement.rollback(0);
    s.failed.insert(fingerprint);
  }
  return false;
}

// A proof of no: with equal demands, room counted in whole tasks.
bool Solver::could_fit(const Search& s, const RoomTest& room, const Batches& potential) {
  if (!room.has_equal_demands()) return true;
  const auto needed = static_cast<std::int64_t>(room.demand() / room.smallest_demand());
  std::int64_t slots = room.slots();
  if (slots >= needed) return true;
  seen_.clear();
  for (TaskId t : s.recorded.tasks()) seen_.insert(t);
  absl::flat_hash_map<NodeId, std::int64_t> extra;
  for (TaskId t : potential.tasks())
    if (seen_.insert(t)) extra[session_.cluster.placement(t).node] += freed_gpus(session_.cluster, t);
  for (const auto& [node, gpus] : extra)
    if (session_.cluster.node(node).present) slots += room.slots_with(node, gpus);
  return slots >= needed;
}

void Solver::collect_victims(const Batches& recorded, const Batches& potential) {
  victims_.clear();
  victim_jobs_.clear();
  seen_.clear();
  seen_jobs_.clear();
  for (const Batches* batches : {&recorded, &potential})
    for (TaskId t : batches->tasks()) {
      if (!seen_.insert(t)) continue;
      victims_.push_back(t);
      const JobId job = session_.cluster.task(t).job;
      if (seen_jobs_.insert(job)) victim_jobs_.push_back(job);
    }
}

// Evicts, places contender and victims' jobs in scheduling order, and asks the validators. actions.md 9.6.
bool Solver::simulate(Search& s, std::span<const TaskId> tasks, const Batches&) {
  ++session_.stats.scenarios_simulated;
  Bitmap nodes = s.feasible;
  for (TaskId t : victims_) {
    const NodeId home = session_.cluster.placement(t).node;
    if (session_.cluster.node(home).present) nodes.set(session_.cluster.rank(home));
    s.statement.evict(t);
  }
  if (!place_all(s, tasks, nodes)) return false;
  group_victims();
  return !s.valid({.contender = s.contender, .contender_tasks = tasks, .victims = by_job_});
}

namespace {

// The contender with only its active tasks and these: minimums are no higher than what is there.
JobEntry partial_entry(const Session& s, JobId id, std::span<const TaskId> tasks) {
  const Job& job = s.cluster.job(id);
  ElasticState state = ElasticState::kExact;
  for (std::uint32_t p = 0; p < job.pod_sets.size(); ++p) {
    const std::int32_t active = job.pod_sets[p].counts.active_allocated();
    const auto added = static_cast<std::int32_t>(std::count_if(
        tasks.begin(), tasks.end(), [&](TaskId t) { return s.cluster.task(t).pod_set == p; }));
    const std::int32_t minimum =
        active + added > 0 ? std::min(job.pod_sets[p].minimum, active + added) : job.pod_sets[p].minimum;
    if (active < minimum) return {id, ElasticState::kBelow};
    if (active > minimum) state = ElasticState::kAbove;
  }
  return {id, state};
}

}  // namespace

bool Solver::place_all(Search& s, std::span<const TaskId> tasks, const Bitmap& nodes) {
  if (waiting_ == nullptr) {
    waiting_ = std::make_unique<WaitingJobs>(session_);
    order_ = std::make_unique<SimulationOrder>(session_, *waiting_);
  }
  contestants_.clear();
  contestants_.push_back({partial_entry(session_, s.contender, tasks),
                          session_.demand(tasks, session_.cluster.smallest_gpu())});
  for (JobId j : victim_jobs_)
    if (j != s.contender) contestants_.push_back({session_.entry(j), session_.chunk(j, true).wanted});
  order_->start(contestants_);
  bool reached = false;
  for (JobId j = order_->pop(); j.valid(); j = order_->pop()) {
    if (j == s.contender) {
      if (allocate_job(session_, s.statement,
                       {.job = j, .tasks = tasks, .allowed = &nodes, .pipeline_only = true}))
        return false;
      reached = true;
      continue;
    }
    const Chunk chunk = session_.chunk(j, true);
    allocate_job(session_, s.statement, {.job = j, .tasks = chunk.tasks, .allowed = &nodes, .pipeline_only = true});
  }
  return reached;
}

// Victims by job, in the order in which they were taken.
void Solver::group_victims() {
  by_job_.assign(victim_jobs_.size(), {});
  job_places_.clear();
  for (std::uint32_t i = 0; i < victim_jobs_.size(); ++i) job_places_[victim_jobs_[i]] = {i, 0};
  for (TaskId t : victims_) ++job_places_[session_.cluster.task(t).job].tasks;
  std::vector<std::size_t> begins(victim_jobs_.size() + 1, 0);
  for (std::size_t i = 0; i < victim_jobs_.size(); ++i)
    begins[i + 1] = begins[i] + job_places_[victim_jobs_[i]].tasks;
  std::vector<std::size_t> ends(begins.begin(), begins.end() - 1);
  grouped_.resize(victims_.size());
  for (TaskId t : victims_) grouped_[ends[job_places_[session_.cluster.task(t).job].index]++] = t;
  for (std::size_t i = 0; i < victim_jobs_.size(); ++i)
    by_job_[i] = {victim_jobs_[i], std::span<const TaskId>(grouped_).subspan(begins[i], begins[i + 1] - begins[i])};
}

// Every batch that holds a task still evicted or moved is part of all later scenarios.
void Solver::record(Search& s, const Batches& potential) {
  Batches kept;
  seen_.clear();
  for (const Batches* batches : {&std::as_const(s.recorded), &potential})
    for (std::size_t i = 0; i < batches->size(); ++i) {
      bool needed = false;
      for (TaskId t : (*batches)[i].tasks) {
        const TaskStatus status = session_.cluster.placement(t).status;
        const bool away = status == TaskStatus::kReleasing || status == TaskStatus::kPipelined;
        needed = (away && seen_.insert(t)) || needed;
      }
      if (needed) kept.append((*batches)[i].job, (*batches)[i].tasks);
    }
  s.recorded = std::move(kept);
}

}  // namespace muster
