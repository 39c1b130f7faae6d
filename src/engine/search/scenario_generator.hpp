// Where scenarios come from: victims are added in victim order, batch by batch, and a generator turns what
// has accumulated into sets to be tried. actions.md 9.3 to 9.5.
#pragma once

#include <span>
#include <vector>

#include "engine/cycle/session.hpp"
#include "engine/order/victim_order.hpp"
#include "engine/place/gpu_room.hpp"
#include "engine/search/required_domains.hpp"

namespace muster {

// Victims in the order in which they were taken, batch by batch: the tasks that one step took from one job.
class Batches {
 public:
  struct Batch {
    JobId job;
    std::span<const TaskId> tasks;
  };
  void clear() {
    tasks_.clear();
    items_.clear();
  }
  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }
  Batch operator[](std::size_t i) const {
    return {items_[i].job,
            std::span<const TaskId>(tasks_).subspan(items_[i].begin, items_[i].end - items_[i].begin)};
  }
  void begin_batch(JobId job) {
    const auto at = static_cast<std::uint32_t>(tasks_.size());
    items_.push_back({job, at, at});
  }
  void add(TaskId task) {
    tasks_.push_back(task);
    items_.back().end = static_cast<std::uint32_t>(tasks_.size());
  }
  void append(JobId job, std::span<const TaskId> tasks) {
    begin_batch(job);
    for (TaskId t : tasks) add(t);
  }
  // All tasks, a task of two batches twice.
  std::span<const TaskId> tasks() const { return tasks_; }

 private:
  struct Item {
    JobId job;
    std::uint32_t begin, end;
  };
  std::vector<TaskId> tasks_;
  std::vector<Item> items_;
};

// Adds what the batches hold and was not seen yet, each task once.
void add_unseen(const Batches& batches, Stamps<TaskId>& seen, std::vector<TaskId>& tasks);
// Adds the batches that hold a task that is evicted or moved and was not seen yet.
void add_needed(const Cluster& cluster, const Batches& batches, Stamps<TaskId>& seen, Batches& needed);

// What one probe is about.
struct Probe {
  JobId contender;
  std::span<const TaskId> tasks;  // the first k of the contender's chunk
  const Batches* recorded;        // victims of the probes before, part of every scenario
  const Bitmap* feasible;         // ranks of nodes the contender may use before anybody is evicted
};

// The growing list of potential victims of one probe. What the filters refuse is passed over.
class VictimAccumulator {
 public:
  VictimAccumulator(Session& session, VictimPool& pool, const GpuRoom& room)
      : session_(session), pool_(pool), victims_(session, pool), free_(room), labels_(session.cluster) {}
  // A new search; the candidates must live on.
  void begin(const Candidates& candidates);
  // A new probe of it; what it points to must live on.
  void start(const Probe& probe);

  // To the next state that the filters let pass: first the recorded victims alone, then each time more. False
  // at the end.
  bool next();
  // One batch more, whatever the filters say; false at the end.
  bool grow();
  const Batches& batches() const { return batches_; }
  const Probe& probe() const { return probe_; }
  Session& session() const { return session_; }
  const Candidates& candidates() const { return *candidates_; }
  VictimPool& pool() const { return pool_; }
  // What is free and what all victims so far free.
  const RoomTest& room() const { return room_; }
  // The same without potential victims.
  const RoomTest& recorded_room() const { return recorded_room_; }
  bool is_recorded(TaskId t) const { return recorded_.contains(t); }

 private:
  bool passes() const;
  std::optional<Batches::Batch> next_batch();
  void free(TaskId victim);
  void meet(NodeId node);

  Session& session_;
  VictimPool& pool_;
  Probe probe_{};
  const Candidates* candidates_ = nullptr;
  VictimOrder victims_;
  // What the order served so far. While no job comes in parts, that is the same for all probes of a search,
  // and is replayed instead of being found again.
  Batches served_;
  std::size_t replayed_ = 0;
  bool can_replay_ = false;
  const GpuRoom& free_;
  RoomTest room_, recorded_room_;
  LabelDomains labels_;
  RequiredDomains domains_;
  Batches batches_;
  Stamps<TaskId> recorded_;
  std::vector<ShapeId> unmet_;  // shapes with a node selector or affinity that no node in sight matches yet
  bool started_ = false;
};

// Proposes scenarios of one probe, one after the other: potential victims beside the recorded ones.
class ScenarioGenerator {
 public:
  virtual ~ScenarioGenerator() = default;
  // Whether it has anything to say where these may be taken.
  virtual bool serves(const Candidates&) const { return true; }
  virtual void start(VictimAccumulator& victims) = 0;
  // False at the end; `potential` is valid until the next call.
  virtual bool next(Batches& potential) = 0;
  // When time alone lets it propose what it kept to itself since it was started; nothing: never.
  virtual std::optional<TimePoint> next_chance() const { return std::nullopt; }
  // Victims may also go to nodes that have no GPU free: some may need none.
  virtual bool moves_to_all_nodes() const { return false; }
};

}  // namespace muster
