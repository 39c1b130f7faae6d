// Whom a contender could take something from at all: a victim whose turn comes before the contender's takes
// its place back, so nothing is won by evicting it. docs/search.md.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <optional>

#include "engine/order/waiting_line.hpp"

namespace muster {

class Turns {
 public:
  explicit Turns(Session& session) : session_(session) {}

  // Begins with a contender and the line as it is now.
  void start(JobId contender, const WaitingLine& line);
  // False: in every scenario the victim's turn comes before the contender's, and it asks for no more than it
  // holds.
  bool may_be_away(JobId victim);

 private:
  // What of a leaf queue is back when the contender's turn comes.
  enum class Back : std::uint8_t { kNothing, kThoseBefore, kAll };
  struct Leaf {
    Back back = Back::kNothing;
    JobEntry stops_at;  // the first job in line that lets the contender's queue go first
  };
  void find_heaviest(JobId contender);
  const Leaf& leaf(QueueId queue);
  Leaf work_out(QueueId queue) const;
  bool goes_first(QueueId theirs, const Demand& wanted, QueueId mine) const;
  std::optional<JobEntry> first_that_stops(QueueId leaf, QueueId theirs, QueueId mine) const;
  bool is_back_by_then(JobId victim);
  bool comes_back_whole(JobId victim) const;

  Session& session_;
  const WaitingLine* line_ = nullptr;
  QueueId queue_;                   // the contender's
  std::optional<Demand> heaviest_;  // of those in line before the contender; nothing: nobody is
  absl::flat_hash_map<QueueId, Leaf> leaves_;
  Stamps<JobId> known_, away_;
};

}  // namespace muster
