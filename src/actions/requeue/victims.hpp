// Selects which of the nominated jobs a preemptor may evict. requeue.md, step 3.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <string>

#include "actions/requeue/requeue.hpp"
#include "engine/order/victim_order.hpp"

namespace muster::actions {

// The nominated jobs; within a queue by lowest priority, then longest overrun, then newest.
std::unique_ptr<VictimPool> nominated_pool(Session& session, const RequeueRecord& record);

class RequeueVictims {
 public:
  RequeueVictims(Session& session, VictimPool& nominated, RequeueRecord& record,
                 RequeueContenders preemptors);

  Candidates of(JobId preemptor);
  // The nominating plugins of all candidates that may be evicted; "" if there are none.
  std::string nominators(const Candidates& candidates);

 private:
  std::optional<VictimRefusal> filter(JobId preemptor, JobId victim) const;
  std::optional<VictimRefusal> queue_filter(JobId preemptor, QueueId leaf, bool may_reclaim) const;
  bool outranks(JobId preemptor, JobId victim) const;
  bool outranks_none(JobId preemptor, QueueId leaf) const;
  std::optional<std::int32_t> shield(JobId preemptor, QueueId leaf);
  void count_protected(JobId victim);

  Session& s_;
  VictimPool& nominated_;
  VictimPool others_;  // jobs that are not nominated
  RequeueRecord& record_;
  const RequeueContenders preemptors_;
  absl::flat_hash_map<JobId, std::size_t> nominations_;  // indices in the record
  absl::flat_hash_set<std::string> all_names_;           // of nominating plugins
  absl::flat_hash_set<JobId> counted_;
};

}  // namespace muster::actions
