// Cheap proofs that one scenario can not work, asked before it is played. docs/search.md.
#pragma once

#include <span>
#include <vector>

#include "engine/order/victim_order.hpp"
#include "engine/place/gpu_room.hpp"
#include "engine/search/scenario_generator.hpp"
#include "engine/search/scenario_play.hpp"
#include "engine/search/turns.hpp"

namespace muster {

// Lives as long as an action runs; its buffers are used again and again.
class ScenarioProofs {
 public:
  ScenarioProofs(Session& session, const GpuRoom& room, ScenarioPlay& play)
      : session_(session), room_(room), play_(play), turns_(session) {}

  void start(JobId contender, const Candidates& candidates);
  void start_probe(const VictimAccumulator& victims);
  // With equal demands, room is counted in tasks.
  bool could_fit(const Batches& potential);
  // Of the least that must stay away for the tasks to fit: the shares of the queues allow it, and it may be
  // away when the contender's turn comes. After could_fit().
  bool could_stay_away(std::span<const TaskId> victims);

 private:
  std::int64_t least_away(std::span<const TaskId> victims) const;
  bool are_alike(std::span<const TaskId> victims) const;
  bool do_turns_leave(std::int64_t gpus, std::span<const TaskId> victims);
  bool do_shares_allow(std::int64_t gpus, std::span<const TaskId> victims);

  Session& session_;
  const GpuRoom& room_;
  ScenarioPlay& play_;
  Turns turns_;
  bool has_turns_ = false;  // of the contender at hand
  const Candidates* candidates_ = nullptr;
  JobId contender_;
  const VictimAccumulator* victims_ = nullptr;
  Demand wanted_;           // of the probe
  std::int64_t slots_ = 0;  // of the scenario, when all its victims are gone

  // ---- buffers
  Stamps<TaskId> seen_;
  SlotChange freed_;
  Stamps<JobId> counted_;
  IdVector<JobId, std::int64_t> by_job_;
  Stamps<QueueId> taken_from_;
  IdVector<QueueId, std::int64_t> largest_;
  std::vector<Shortage::Source> sources_;
};

}  // namespace muster
