// A tentative change. Every operation takes effect at once; operations that are not committed are undone.
#pragma once

#include <string>
#include <vector>

#include "engine/cycle/session.hpp"

namespace muster {

class Statement {
 public:
  using Checkpoint = std::size_t;

  explicit Statement(Session& session) : session_(session) { log_.swap(session.spare_log); }
  ~Statement() {
    rollback(0);
    log_.swap(session_.spare_log);
  }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Takes the place now.
  void allocate(TaskId t, NodeId node, HoldingId holding = {});
  // Takes the place as soon as it is free. A victim of this statement that returns to its own place is not
  // evicted. A victim that is moved stays on its old node, releasing, until it is gone.
  void pipeline(TaskId t, NodeId node, HoldingId holding = {});
  void evict(TaskId t);
  // Makes the task pending, as if it had never been placed, to find out where it would be placed.
  void forget(TaskId t) { move(t, {}); }
  // Returns the task to its placement before this statement first changed it.
  void take_back(TaskId t);
  // Pipelines everything this statement allocated for the job, on the same nodes.
  void convert_to_pipelined(JobId job);

  Checkpoint checkpoint() const { return log_.size(); }
  void rollback(Checkpoint to);
  // Turns the net effect per task into decisions. `preemptor` is the job that room is made for.
  void commit(const std::string& action, JobId preemptor);

 private:
  void move(TaskId t, const Placement& to);
  bool stands_there(TaskId t, NodeId node, HoldingId holding) const;
  const Placement& first_before(TaskId t) const;

  Session& session_;
  std::vector<TaskMove> log_;
};

}  // namespace muster
