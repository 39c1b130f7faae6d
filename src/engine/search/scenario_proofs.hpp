// Cheap proofs that one scenario cannot work, tried before it is simulated. docs/search.md.
#pragma once

#include <span>
#include <vector>

#include "engine/order/victim_order.hpp"
#include "engine/place/gpu_room.hpp"
#include "engine/search/return_order.hpp"
#include "engine/search/scenario_generator.hpp"
#include "engine/search/scenario_play.hpp"

namespace muster {

// Lives as long as an action runs; reuses its buffers.
class ScenarioProofs {
 public:
  ScenarioProofs(Session& session, const GpuRoom& room, ScenarioPlay& play)
      : session_(session), room_(room), play_(play), return_order_(session) {}

  void start(JobId preemptor, const Candidates& candidates);
  void start_probe(const VictimAccumulator& victims);
  // Whether the scenario frees room for all tasks. Counted only if they all request the same; otherwise true.
  bool could_fit(const Batches& potential);
  // Some of the victims must stay evicted for the tasks to fit. Returns whether they may: the shares of the
  // queues allow it, and the victims are not placed again before the preemptor. REQUIRES: could_fit() was
  // called.
  bool could_stay_away(std::span<const TaskId> victims);

 private:
  std::int64_t least_away(std::span<const TaskId> victims) const;
  bool are_alike(std::span<const TaskId> victims) const;
  bool do_turns_leave(std::int64_t gpus, std::span<const TaskId> victims);
  bool do_shares_allow(std::int64_t gpus, std::span<const TaskId> victims);

  Session& session_;
  const GpuRoom& room_;
  ScenarioPlay& play_;
  ReturnOrder return_order_;
  bool has_turns_ = false;  // of the current preemptor
  const Candidates* candidates_ = nullptr;
  JobId preemptor_;
  const VictimAccumulator* victims_ = nullptr;
  Demand wanted_;           // of the probe
  std::int64_t slots_ = 0;  // of the scenario, once all its victims are gone

  // ---- Buffers
  Stamps<TaskId> seen_;
  SlotChange freed_;
  Stamps<JobId> counted_;
  IdVector<JobId, std::int64_t> by_job_;
  Stamps<QueueId> taken_from_;
  IdVector<QueueId, std::int64_t> largest_;
  std::vector<Shortage::Source> sources_;
};

}  // namespace muster
