// Decides which of two sibling queues is served first: the eight rules of fairshare.md 6.
#pragma once

#include <array>
#include <optional>

#include "engine/cycle/hooks.hpp"
#include "plugins/proportion/shares.hpp"

namespace muster::plugins {

class QueueOrder {
 public:
  QueueOrder(const Session& session, const QueueShares& shares);
  // Never returns 0: if the sides are equal, the right one is first.
  int compare(const QueueSide& left, const QueueSide& right) const;

 private:
  // The facts about one side that the rules compare.
  struct Rank {
    bool is_over_used = false, is_within_quota = false, takes_of_nothing = false;
    double share_with_job = 0, share = 0;
  };
  // The last result and its inputs. Heaps compare an unchanged queue again and again.
  struct CachedRank {
    Charge held;
    Demand wanted;
    Charge victims;
    std::optional<Rank> rank;
  };
  Rank rank_of(const QueueSide& side) const;
  Rank work_out(const QueueSide& side) const;
  bool is_over_used(QueueId q) const;
  bool is_within_quota(const QueueSide& side) const;
  bool takes_of_nothing(const QueueSide& side) const;
  double dominant_share(QueueId q, const Demand& wanted, const Charge& victims) const;
  bool may_hold_no_more(QueueId a, QueueId b) const;

  const Cluster& cluster_;
  const QueueShares& shares_;
  IdVector<QueueId, Shares> bounds_;  // what a queue may use: at most the whole cluster
  mutable IdVector<QueueId, std::array<CachedRank, 2>>
      known_;  // for sides with a pending job, and for victims
};

}  // namespace muster::plugins
