// One solver for every action that makes room: which victims let the contender run. actions.md 9.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/batches.hpp"
#include "engine/gpu_room.hpp"
#include "engine/scenario_generator.hpp"
#include "engine/simulation_order.hpp"
#include "engine/statement.hpp"
#include "engine/victims.hpp"

namespace muster {

enum class Outcome : std::uint8_t { kSolved, kNoSolution, kNothingToPlace, kNoGenerator };

using ScenarioValidator = std::function<std::optional<VictimRefusal>(const Scenario&)>;

// Lives as long as an action runs; keeps what all its searches share.
class Solver {
 public:
  explicit Solver(Session& session);
  ~Solver();

  // On success the statement holds evictions and placements, to be committed.
  Outcome solve(Statement& statement, JobId contender, const Candidates& candidates, const ScenarioValidator& valid);
  // The statement was committed.
  void committed(JobId contender);

  VictimPool& pool();
  const GpuRoom& room() {
    room_.update();
    return room_;
  }

 private:
  struct Search;  // the state of one solve
  bool search(Search& search, ScenarioGenerator& generator);
  bool probe(Search& search, ScenarioGenerator& generator, std::size_t k);
  bool simulate(Search& search, std::span<const TaskId> tasks, const Batches& potential);
  bool could_fit(const Search& search, const RoomTest& recorded_room, const Batches& potential);
  void collect_victims(const Batches& recorded, const Batches& potential);
  bool place_all(Search& search, std::span<const TaskId> tasks, const Bitmap& nodes);
  void group_victims();
  void record(Search& search, const Batches& potential);
  bool is_whole(JobId contender) const;

  Session& session_;
  std::vector<GeneratorFactory> generators_;
  std::unique_ptr<VictimPool> pool_;
  std::unique_ptr<WaitingJobs> waiting_;
  std::unique_ptr<SimulationOrder> order_;
  GpuRoom room_;

  // Scratch of one simulation.
  std::vector<TaskId> victims_;
  std::vector<JobId> victim_jobs_;
  std::vector<TaskId> grouped_;               // victims by job
  std::vector<Scenario::Victim> by_job_;
  struct JobPlace {
    std::uint32_t index = 0, tasks = 0;
  };
  absl::flat_hash_map<JobId, JobPlace> job_places_;
  Stamps<TaskId> seen_;
  Stamps<JobId> seen_jobs_;
  std::vector<SimulationOrder::Contestant> contestants_;
};

// The nodes that a search for the job may use before anybody is evicted: those with free GPUs, or all if some task
// of it needs none.
Bitmap feasible_nodes(const Session& session, const GpuRoom& room, JobId job);

}  // namespace muster
