// Gives back victims that turn out not to be needed: all that was taken of a job, or what was taken last of
// it.
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

  // Plays the scenario with these victims; true: it works and the statement holds it, else that is empty.
  using Plays = std::function<bool(std::span<const TaskId> victims)>;
  // A solution: the statement holds the scenario with `victims`, in which all `tasks` find their places.
  struct Solution {
    std::span<const TaskId> tasks;
    std::span<const TaskId> victims;
    Batches& recorded;  // those of the victims that are still evicted or moved
  };
  // Leaves in the statement, and in `recorded`, what works with fewer victims.
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

  // ---- the solution at hand
  Statement* statement_ = nullptr;
  Batches* recorded_ = nullptr;
  const Plays* plays_ = nullptr;
  RoomTest with_all_;           // gone
  std::vector<TaskId> fewest_;  // victims that were found to do

  // ---- buffers
  Batches kept_;
  std::vector<TaskId> victims_;
  Stamps<TaskId> seen_;
  SlotChange stay_;
};

}  // namespace muster
