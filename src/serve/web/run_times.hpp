// Sees jobs run and end, and keeps how long they ran: what start estimates rest on where nobody says.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <optional>
#include <string>

#include "answers/run_history.hpp"
#include "model/cluster.hpp"

namespace muster::serve {

class RunTimes {
 public:
  // Between cycles, as often as one likes: it looks once a second. True: a job has ended since.
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
