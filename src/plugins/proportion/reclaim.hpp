// Decides when one queue may reclaim from another: gate, victim filter, and proof that reclaim is impossible.
// fairshare.md 9.
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

  // True if the job's queue is within its share, or if some running job is charged to no queue and may
  // therefore be evicted for any queue.
  bool may_reclaim(JobId preemptor) const;
  bool is_within_share(JobId preemptor) const;
  bool may_take_from(JobId preemptor, QueueId leaf) const;
  // Returns a reason if the rules provably do not let victims of these queues free enough.
  std::optional<JobReason> too_much(const Shortage& shortage) const;

  // These compare `held`, the use of a queue, with its quota or share; the first adds the requested amount.
  bool is_within_quota(QueueId q, const Charge& held, const Demand& requested) const;
  bool exceeds_allocatable(QueueId q, const Charge& held) const;
  bool exceeds_quota(QueueId q, const Charge& held) const;

 private:
  // A queue beside the preemptor's path to the root.
  struct Source {
    QueueId queue;
    bool fits_quota;       // the request fits the quota on the preemptor's side
    std::int64_t largest;  // GPUs of the largest job below
  };
  bool some_victim_has_no_queue() const;
  absl::InlinedVector<Source, 16> sources_of(const Shortage& shortage) const;
  std::optional<std::int64_t> most_to_take(QueueId q, bool fits_quota, std::int64_t largest) const;

  Session& session_;
  const Cluster& cluster_;
  const QueueShares& shares_;
};

}  // namespace muster::plugins
