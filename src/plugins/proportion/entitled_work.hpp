// How much of its running work a leaf queue is entitled to, in whole gangs. Reclaim never lowers this amount,
// so that what one queue regains is not taken from the entitlement of another, and evictions end.
// docs/fairness.md.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "plugins/proportion/shares.hpp"

namespace muster::plugins {

// What a queue is entitled to: its fair share, or only its quota if the reclaiming queue stays within its
// own.
enum class Entitlement : std::uint8_t { kShare, kQuota };

class EntitledWork {
 public:
  EntitledWork(Session& session, const QueueShares& shares)
      : session_(session),
        cluster_(session.cluster),
        shares_(shares),
        leaves_(session.cluster.queues().size()) {}

  // Whether the job's queue could lose a part of the job and keep the amount. Call while nothing is evicted
  // tentatively.
  bool may_lose(JobId job, Entitlement by);
  // Whether the leaf keeps the amount it had when may_lose() was last called, now that these jobs have lost
  // tasks tentatively.
  bool keeps(QueueId leaf, std::span<const JobId> losers, Entitlement by);

 private:
  // The sizes of gangs and surplus pods in one resource, with the number of each.
  using Sizes = std::map<std::int64_t, std::int32_t>;
  // Parts of a job that run or end as a whole: the minimum of a gang, or a surplus pod.
  using Parts = std::vector<Charge>;
  struct KnownJob {
    std::uint64_t version = 0;
    Parts parts;
  };
  struct Leaf {
    std::vector<JobId> uncounted;  // jobs that hold places and may have changed
    Charge held;
    absl::flat_hash_map<JobId, KnownJob> jobs;
    std::array<Sizes, 3> sizes;  // by resource
  };
  Leaf& look_at(QueueId queue);
  void collect();
  void add_placed();
  void count(JobId job, Leaf& leaf) const;
  Parts parts_of(JobId job) const;
  static void add(const Parts& parts, std::array<Sizes, 3>& sizes, std::int32_t times);
  std::optional<bool> keeps_by_sums(QueueId queue, const Charge& after, Entitlement by) const;
  bool keeps_packed(QueueId queue, const std::array<Sizes, 3>& after, Entitlement by) const;
  std::int64_t bound(QueueId queue, Accounted r, Entitlement by) const;

  Session& session_;
  const Cluster& cluster_;
  const QueueShares& shares_;
  IdVector<QueueId, Leaf> leaves_;
  std::optional<std::uint64_t> collected_in_;  // the action in which all jobs were collected
  std::size_t binds_ = 0, nominations_ = 0;    // decisions of that action that were added
};

}  // namespace muster::plugins
