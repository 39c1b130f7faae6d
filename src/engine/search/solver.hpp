// The solver that all actions use to make room: finds victims whose eviction lets the preemptor run.
// actions.md 9.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/cycle/statement.hpp"
#include "engine/order/victim_order.hpp"
#include "engine/place/gpu_room.hpp"
#include "engine/search/scenario_generator.hpp"
#include "engine/search/scenario_play.hpp"
#include "engine/search/scenario_proofs.hpp"
#include "engine/search/search_budget.hpp"
#include "engine/search/search_memory.hpp"
#include "engine/search/trimmer.hpp"

namespace muster {

enum class Outcome : std::uint8_t {
  kSolved,
  kNoSolution,
  kNothingToPlace,
  kNoGenerator,
  kCutShort,   // a limit of steps was reached
  kOutOfTime,  // the action has no time left
};

// Lives as long as an action runs; keeps what all its searches share.
class Solver {
 public:
  Solver(Session& session, std::string action);
  // Uses this pool of victims.
  Solver(Session& session, std::string action, std::unique_ptr<VictimPool> pool, Line line);
  ~Solver();
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  // On success the statement contains evictions and placements, ready to commit.
  Outcome solve(Statement& statement, JobId preemptor, const Candidates& candidates,
                const ScenarioCheck& refusal);
  // Call after the statement was committed.
  void note_commit(JobId preemptor);
  // Call after the queue position of the job changed.
  void note_place_in_line(JobId job) { play_.update(job); }

  VictimPool& pool();
  const GpuRoom& room() {
    room_.update();
    return room_;
  }
  // Results of the last failed search: number of scenarios simulated, and why they failed.
  const SearchEnded& ended() const { return ended_; }
  // Skips a search that would have the same result as before.
  void end_as_before(const SearchEnded& ended);
  // After a success: the tasks of jobs that lost tasks, including tasks that got their place back.
  std::span<const TaskId> taken() const { return recorded_.tasks(); }

 private:
  struct Generator {
    GeneratorFactory factory;
    std::unique_ptr<ScenarioGenerator> made;
  };

  void start(JobId preemptor, const Candidates& candidates, const ScenarioCheck& refusal);
  bool search(Statement& statement, Generator& generator);
  bool probe(Statement& statement, Generator& generator, std::size_t k);
  std::span<const TaskId> tasks_of_probe(std::size_t k);
  // Returns why the scenario does not work; the statement is then empty.
  std::optional<VictimRefusal> play_or_refuse(Statement& statement, std::span<const TaskId> tasks,
                                              std::span<const TaskId> victims);
  void collect_victims();
  std::size_t fingerprint(std::size_t k);
  void record_victims();
  bool is_preemptor_satisfied() const;
  void trim(Statement& statement);
  void note_next_chance(const ScenarioGenerator& generator);
  Outcome unsolved();

  Session& session_;
  const std::string action_;
  std::vector<Generator> generators_;
  const bool has_own_victims_;
  std::unique_ptr<VictimPool> pool_;
  std::unique_ptr<VictimAccumulator> accumulator_;
  ScenarioPlay play_;
  std::unique_ptr<GpuRoom> owned_room_;
  GpuRoom& room_;  // before the current simulation
  SearchBudget budget_;
  Trimmer trimmer_;
  ScenarioProofs proofs_;

  // ---- The current search
  JobId preemptor_;
  const ScenarioCheck* refusal_ = nullptr;
  std::vector<TaskId> tasks_;    // all tasks that must be placed
  std::vector<TaskId> partial_;  // what a probe tries of them, with KAI's rules
  Bitmap feasible_;
  bool to_all_nodes_ = false;  // even to nodes without free GPUs
  Batches recorded_;           // part of every scenario
  bool kept_ = false;          // the statement contains a solution for all tasks
  FailedScenarios failed_;
  std::vector<std::size_t> for_now_;  // those that may succeed later without any change
  Limit limit_ = Limit::kNone;
  SearchEnded ended_;

  // ---- Buffers
  Batches potential_, needed_;
  std::vector<TaskId> victims_, sorted_;
  std::vector<JobId> moved_;
  Stamps<TaskId> seen_;
};

}  // namespace muster
