// Which of two sibling queues is served first: the eight rules of fairshare.md 6.
#pragma once

#include "engine/cycle/hooks.hpp"
#include "plugins/proportion/shares.hpp"

namespace muster::plugins {

class QueueOrder {
 public:
  QueueOrder(const Session& session, const QueueShares& shares);
  // Never 0: of equals the right one is first.
  int compare(const QueueSide& left, const QueueSide& right) const;

 private:
  bool is_over_used(QueueId q) const;
  bool is_within_quota(const QueueSide& side) const;
  bool takes_of_nothing(const QueueSide& side) const;
  double dominant_share(QueueId q, const Demand& wanted, const Charge& victims) const;
  bool may_hold_no_more(QueueId a, QueueId b) const;

  const Cluster& cluster_;
  const QueueShares& shares_;
  IdVector<QueueId, Shares> bounds_;  // what a queue may hold: at most everything
};

}  // namespace muster::plugins
