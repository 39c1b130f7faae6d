// When one queue may take from another: gate, victim filter and proof of reclaim. fairshare.md 9.
#pragma once

#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <optional>

#include "engine/cycle/hooks.hpp"
#include "plugins/proportion/shares.hpp"

namespace muster::plugins {

template <class Claim>
bool all_resources(Claim claim) {
  return std::all_of(kAccounted.begin(), kAccounted.end(), claim);
}
template <class Claim>
bool any_resource(Claim claim) {
  return std::any_of(kAccounted.begin(), kAccounted.end(), claim);
}

class ReclaimRules {
 public:
  ReclaimRules(Session& session, const QueueShares& shares)
      : session_(session), cluster_(session.cluster), shares_(shares) {}

  // Within its share, or somebody holds what is charged to no queue, which is there for all.
  bool may_reclaim(JobId contender) const;
  bool is_within_share(JobId contender) const;
  bool may_take_from(JobId contender, QueueId leaf) const;
  // A proof that no victims of these queues may free as much.
  std::optional<JobReason> too_much(const Shortage& shortage) const;

  // A queue that holds so much: with what is wanted, or as it is.
  bool is_within_quota(QueueId q, const Charge& held, const Demand& wanted) const;
  bool exceeds_allocatable(QueueId q, const Charge& held) const;
  bool exceeds_quota(QueueId q, const Charge& held) const;

 private:
  // A queue beside the contender's path.
  struct Source {
    QueueId queue;
    bool fits_quota;       // what is wanted fits the quota on our side
    std::int64_t largest;  // GPUs of the job below that holds most
  };
  absl::InlinedVector<Source, 16> sources_of(const Shortage& shortage) const;
  std::optional<std::int64_t> most_to_take(QueueId q, bool fits_quota, std::int64_t largest) const;

  Session& session_;
  const Cluster& cluster_;
  const QueueShares& shares_;
};

}  // namespace muster::plugins
