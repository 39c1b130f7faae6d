// One solver for every action that makes room: which victims let the contender run. actions.md 9.
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
  // With victims of its own choice.
  Solver(Session& session, std::string action, std::unique_ptr<VictimPool> pool, Line line);
  ~Solver();
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  // On success the statement holds evictions and placements, to be committed.
  Outcome solve(Statement& statement, JobId contender, const Candidates& candidates,
                const ScenarioValidator& valid);
  // The statement was committed.
  void note_commit(JobId contender);
  // The job joined the line of waiting jobs at another place.
  void note_place_in_line(JobId job) { play_.update(job); }

  VictimPool& pool();
  const GpuRoom& room() {
    room_.update();
    return room_;
  }
  // Of the last search that found nothing: scenarios it played, and why they failed.
  const SearchEnded& ended() const { return ended_; }
  // A search is not run, because it would end as it did before.
  void end_as_before(const SearchEnded& ended);
  // Of the last success: tasks whose jobs lost something; those that got their place back are among them.
  std::span<const TaskId> taken() const { return recorded_.tasks(); }

 private:
  struct Generator {
    GeneratorFactory factory;
    std::unique_ptr<ScenarioGenerator> made;
  };

  void start(JobId contender, const Candidates& candidates, const ScenarioValidator& valid);
  bool search(Statement& statement, Generator& generator);
  bool probe(Statement& statement, Generator& generator, std::size_t k);
  std::span<const TaskId> tasks_of_probe(std::size_t k);
  // Why it does not work; the statement is empty then.
  std::optional<VictimRefusal> play(Statement& statement, std::span<const TaskId> tasks,
                                    std::span<const TaskId> victims);
  void collect_victims();
  std::size_t fingerprint(std::size_t k);
  void record_victims();
  bool contender_stands() const;
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
  GpuRoom& room_;  // before the play at hand
  SearchBudget budget_;
  Trimmer trimmer_;
  ScenarioProofs proofs_;

  // ---- the search at hand
  JobId contender_;
  const ScenarioValidator* valid_ = nullptr;
  std::vector<TaskId> tasks_;    // all that must find a place
  std::vector<TaskId> partial_;  // what a probe tries of them, in KAI's way
  Bitmap feasible_;
  bool to_all_nodes_ = false;  // whatever is free there
  Batches recorded_;           // part of every scenario
  bool kept_ = false;          // the statement holds a solution for all tasks
  FailedScenarios failed_;
  std::vector<std::size_t> for_now_;  // of those, the ones that time alone may mend
  Limit limit_ = Limit::kNone;
  SearchEnded ended_;

  // ---- buffers
  Batches potential_, needed_;
  std::vector<TaskId> victims_, sorted_;
  std::vector<JobId> moved_;
  Stamps<TaskId> seen_;
};

}  // namespace muster
