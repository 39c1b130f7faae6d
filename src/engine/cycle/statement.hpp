// A tentative change: every operation takes effect at once, and what is not committed never happened.
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
  // Takes the place as soon as it is free. A victim of this statement that gets its own place back is simply
  // not evicted; one that goes elsewhere stays on its old node, releasing, until it is gone.
  void pipeline(TaskId t, NodeId node, HoldingId holding = {});
  void evict(TaskId t);
  // The task waits as if it had never stood anywhere: to see what would become of it then.
  void forget(TaskId t) { move(t, {}); }
  // Back to where the task was before this statement first changed it.
  void take_back(TaskId t);
  // Everything this statement allocated for the job waits instead, where it is.
  void convert_to_pipelined(JobId job);

  Checkpoint checkpoint() const { return log_.size(); }
  void rollback(Checkpoint to);
  // The net effect per task becomes decisions; `contender` is the job it is done for.
  void commit(const std::string& action, JobId contender);

 private:
  void move(TaskId t, const Placement& to);
  bool stands_there(TaskId t, NodeId node, HoldingId holding) const;
  const Placement& first_before(TaskId t) const;

  Session& session_;
  std::vector<TaskMove> log_;
};

}  // namespace muster
