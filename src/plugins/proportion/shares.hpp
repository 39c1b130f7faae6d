// Fair shares of all queues, computed once at the start of a cycle. fairshare.md 1 to 4.
#pragma once

#include <span>

#include "engine/cycle/session.hpp"

namespace muster::plugins {

class QueueShares {
 public:
  QueueShares(const Session& session, double k_value);

  const Shares& fair(QueueId q) const { return fair_[q]; }
  const Shares& requested(QueueId q) const { return requested_[q]; }
  // What the queue may use by quota, share and limit; -1 means no bound.
  double allocatable(QueueId q, Accounted r) const { return allocatable_[q][index(r)]; }

 private:
  void divide(std::span<const QueueId> siblings, const Shares& total);
  void divide(std::span<const QueueId> siblings, double total, Accounted r);

  const Cluster& cluster_;
  const EngineSettings& settings_;
  const double k_value_;
  IdVector<QueueId, Shares> fair_, requested_, allocatable_;
};

}  // namespace muster::plugins
