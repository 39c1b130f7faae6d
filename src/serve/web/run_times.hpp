// Observes when jobs run and end, and records how long they ran. Start estimates use this for jobs that
// declare no duration.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <optional>
#include <string>

#include "answers/run_history.hpp"
#include "model/cluster.hpp"

namespace muster::serve {

class RunTimes {
 public:
  // Call between cycles. Checks at most once a second. Returns true if a job has ended since the last
  // check.
  bool look(const Cluster& cluster, TimePoint now);
  answers::RunFigureTable figures() const { return history_.figures(); }

 private:
  struct Run {
    std::string uid, queue, user;
    TimePoint since{};
  };
  void note_running(const Cluster& cluster);
  bool note_ended(const Cluster& cluster, TimePoint now);

  absl::flat_hash_map<JobId, Run> running_;
  answers::RunHistory history_;
  std::optional<TimePoint> looked_;
};

}  // namespace muster::serve
