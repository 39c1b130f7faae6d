// Gives back victims that turn out to be unnecessary: all tasks that were taken from a job, or the tasks that
// were taken last.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "engine/cycle/statement.hpp"
#include "engine/place/gpu_room.hpp"
#include "engine/search/scenario_generator.hpp"
#include "engine/search/search_budget.hpp"

namespace muster {

class Trimmer {
 public:
  Trimmer(Session& session, const GpuRoom& room, const SearchBudget& budget)
      : session_(session), room_(room), budget_(budget) {}

  // Simulates the scenario with these victims. Returns true if it works and the statement contains it;
  // otherwise the statement is empty.
  using Plays = std::function<bool(std::span<const TaskId> victims)>;
  // A solution: the statement contains the scenario with `victims`, in which all `tasks` are placed.
  struct Solution {
    std::span<const TaskId> tasks;
    std::span<const TaskId> victims;
    Batches& recorded;  // the victims that are still evicted or moved
  };
  // Reduces the scenario in the statement and in `recorded` to fewer victims if that works.
  void trim(Statement& statement, const Solution& solution, const Plays& plays);

 private:
  void start_room(const Solution& solution);
  bool are_needed(std::span<const TaskId> tasks);
  bool spare(std::size_t batch);
  template <class Keep>
  bool works_with(Keep keep);

  Session& session_;
  const GpuRoom& room_;
  const SearchBudget& budget_;

  // ---- The current solution
  Statement* statement_ = nullptr;
  Batches* recorded_ = nullptr;
  const Plays* plays_ = nullptr;
  RoomTest with_all_;           // the room with all victims gone
  std::vector<TaskId> fewest_;  // victims that were found to suffice

  // ---- Buffers
  Batches kept_;
  std::vector<TaskId> victims_;
  Stamps<TaskId> seen_;
  SlotChange stay_;
};

}  // namespace muster
