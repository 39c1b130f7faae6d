// Finds victims that are useless to evict: if a victim's turn comes before the preemptor's, it takes its
// place back, so nothing is gained. docs/search.md.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <optional>

#include "engine/order/waiting_line.hpp"

namespace muster {

class ReturnOrder {
 public:
  explicit ReturnOrder(Session& session) : session_(session) {}

  // Starts with a preemptor and the current order of pending jobs.
  void start(JobId preemptor, const WaitingLine& line);
  // Returns false if, in every scenario, the victim's turn comes before the preemptor's and its old place is
  // enough for it.
  bool may_be_away(JobId victim);

 private:
  // Which jobs of a leaf queue are placed again before the preemptor's turn.
  enum class Back : std::uint8_t { kNothing, kThoseBefore, kAll };
  struct Leaf {
    Back back = Back::kNothing;
    JobEntry stops_at;  // the first pending job that lets the preemptor's queue go first
  };
  void find_heaviest(JobId preemptor);
  const Leaf& leaf(QueueId queue);
  Leaf work_out(QueueId queue) const;
  bool goes_first(QueueId theirs, const Demand& wanted, QueueId mine) const;
  std::optional<JobEntry> first_that_stops(QueueId leaf, QueueId theirs, QueueId mine) const;
  bool is_back_by_then(JobId victim);
  bool comes_back_whole(JobId victim) const;

  Session& session_;
  const WaitingLine* line_ = nullptr;
  QueueId queue_;  // the preemptor's
  // The largest request served before the preemptor in its queue; nullopt: there is none.
  std::optional<Demand> heaviest_;
  absl::flat_hash_map<QueueId, Leaf> leaves_;
  Stamps<JobId> known_, away_;
};

}  // namespace muster
