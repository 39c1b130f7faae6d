// Simulates a scenario: evicts the victims, places the preemptor and the victims' jobs in scheduling order,
// and judges the result. actions.md 9.6.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/cycle/statement.hpp"
#include "engine/order/scenario_order.hpp"
#include "engine/place/gpu_room.hpp"

namespace muster {

using ScenarioCheck = std::function<std::optional<VictimRefusal>(const Scenario&)>;

// Which jobs are placed in addition to the victims' jobs: the preemptor alone, or also the pending jobs
// before it. In the latter case victims go to the back of the queue.
enum class Line : std::uint8_t { kPreemptor, kAll };

// Lives as long as an action runs; reuses its buffers.
class ScenarioPlay {
 public:
  explicit ScenarioPlay(Session& session, Line line = Line::kPreemptor) : session_(session), line_(line) {}

  struct Play {
    JobId preemptor;
    std::span<const TaskId> tasks;    // of the preemptor
    std::span<const TaskId> victims;  // each once
    const Bitmap& feasible;           // ranks of nodes in addition to those of the victims
    const GpuRoom& room;              // with all victims in their places
    const ScenarioCheck& refusal;
  };
  // Returns nullopt if it worked; the statement then contains the scenario. Otherwise returns why not, and
  // the caller must roll the statement back.
  std::optional<VictimRefusal> run(Statement& statement, const Play& play);
  // Jobs that lost tasks in the last run.
  std::span<const JobId> victim_jobs() const { return victim_jobs_; }
  // The pending jobs in order.
  const WaitingLine& waiting();
  // Call after the job's tasks or its queue position changed for good.
  void update(JobId job) {
    if (waiting_ != nullptr) waiting_->update(job);
  }

 private:
  void collect_jobs(std::span<const TaskId> victims);
  void line_up(const Play& play);
  void start_room(const Play& play);
  bool is_room_left() const { return !counts_room_ || left_.reach() >= left_.demand(); }
  bool place_all(Statement& statement, const Play& play);
  bool place_line(Statement& statement, const Play& play);
  bool place(Statement& statement, JobId job, std::span<const TaskId> tasks);
  bool place_again(Statement& statement, JobId victim);
  void take_room(std::span<const TaskId> placed);
  void group_victims(std::span<const TaskId> victims);

  Session& session_;
  const Line line_;
  std::unique_ptr<WaitingLine> waiting_;
  std::unique_ptr<ScenarioOrder> order_;
  Bitmap nodes_;
  RoomTest left_;  // room for the preemptor while victims return; never less than the actual room
  bool counts_room_ = false;
  std::vector<JobId> victim_jobs_;
  std::vector<TaskId> lent_;  // placements of other pending jobs that are undone
  std::vector<Contestant> contestants_;
  absl::flat_hash_map<JobId, std::uint32_t> places_;  // indices into victim_jobs_
  std::vector<std::uint32_t> ends_;
  std::vector<TaskId> grouped_;  // victims by job
  std::vector<Scenario::Victim> by_job_;
};

}  // namespace muster
