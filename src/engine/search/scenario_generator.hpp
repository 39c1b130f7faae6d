// Generates scenarios: victims are added in victim order, batch by batch, and a generator turns those added
// so far into sets to try. actions.md 9.3 to 9.5.
#pragma once

#include <span>
#include <vector>

#include "engine/cycle/session.hpp"
#include "engine/order/victim_order.hpp"
#include "engine/place/gpu_room.hpp"
#include "engine/search/required_domains.hpp"

namespace muster {

// Victims in the order in which they were taken. A batch is the tasks that one step took from one job.
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
  // All tasks. A task that is in two batches appears twice.
  std::span<const TaskId> tasks() const { return tasks_; }

 private:
  struct Item {
    JobId job;
    std::uint32_t begin, end;
  };
  std::vector<TaskId> tasks_;
  std::vector<Item> items_;
};

// Adds the tasks of the batches that were not seen yet, each once.
void add_unseen(const Batches& batches, Stamps<TaskId>& seen, std::vector<TaskId>& tasks);
// Adds the batches with a task that is evicted or moved and was not seen yet.
void add_needed(const Cluster& cluster, const Batches& batches, Stamps<TaskId>& seen, Batches& needed);

// The inputs of one probe.
struct Probe {
  JobId preemptor;
  std::span<const TaskId> tasks;  // the first k tasks of the preemptor's chunk
  const Batches* recorded;        // victims of earlier probes, part of every scenario
  const Bitmap* feasible;         // ranks of nodes the preemptor may use without any eviction
};

// The growing list of potential victims of one probe. States that the filters refuse are skipped.
class VictimAccumulator {
 public:
  VictimAccumulator(Session& session, VictimPool& pool, const GpuRoom& room)
      : session_(session), pool_(pool), victims_(session, pool), free_(room), labels_(session.cluster) {}
  // Starts a search. `candidates` must outlive it.
  void begin(const Candidates& candidates);
  // Starts a probe of the search. What `probe` points to must outlive it.
  void start(const Probe& probe);

  // Advances to the next state that passes the filters: first the recorded victims alone, then more each
  // time. Returns false at the end.
  bool next();
  // Adds one batch, ignoring the filters. Returns false at the end.
  bool grow();
  const Batches& batches() const { return batches_; }
  const Probe& probe() const { return probe_; }
  Session& session() const { return session_; }
  const Candidates& candidates() const { return *candidates_; }
  VictimPool& pool() const { return pool_; }
  // The free room plus what all victims so far free.
  const RoomTest& room() const { return room_; }
  // Likewise without potential victims.
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
  // The batches that the order has returned so far. While no job is taken in parts, they are the same for all
  // probes of a search, so they are replayed and not recomputed.
  Batches served_;
  std::size_t replayed_ = 0;
  bool can_replay_ = false;
  const GpuRoom& free_;
  RoomTest room_, recorded_room_;
  LabelDomains labels_;
  RequiredDomains domains_;
  Batches batches_;
  Stamps<TaskId> recorded_;
  std::vector<ShapeId> unmet_;  // shapes whose node selector or affinity matches none of the nodes so far
  bool started_ = false;
};

// Proposes one scenario at a time for a probe: potential victims in addition to the recorded ones.
class ScenarioGenerator {
 public:
  virtual ~ScenarioGenerator() = default;
  // Whether it proposes anything for these candidates.
  virtual bool serves(const Candidates&) const { return true; }
  virtual void start(VictimAccumulator& victims) = 0;
  // Returns false at the end. `potential` is valid until the next call.
  virtual bool next(Batches& potential) = 0;
  // The next time at which it would propose something it withheld since its start; nullopt if there is none.
  virtual std::optional<TimePoint> next_chance() const { return std::nullopt; }
  // Whether victims may also be moved to nodes without free GPUs, because some may need none.
  virtual bool moves_to_all_nodes() const { return false; }
};

}  // namespace muster
