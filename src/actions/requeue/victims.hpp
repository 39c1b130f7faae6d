// Whom a contender may take of the jobs that agreed to give way. requeue.md, step 3.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <string>

#include "actions/requeue/requeue.hpp"
#include "engine/order/victim_order.hpp"

namespace muster::actions {

// The nominated jobs; of one queue lowest priority, longest overrun, newest first.
std::unique_ptr<VictimPool> nominated_pool(Session& session, const RequeueRecord& record);

class RequeueVictims {
 public:
  RequeueVictims(Session& session, VictimPool& nominated, RequeueRecord& record,
                 RequeueContenders contenders);

  Candidates of(JobId contender);
  // Of the candidates that are not spared, all names; "": there are none.
  std::string nominators(const Candidates& candidates);

 private:
  std::optional<VictimRefusal> filter(JobId contender, JobId victim) const;
  std::optional<VictimRefusal> queue_filter(JobId contender, QueueId leaf, bool may_reclaim) const;
  bool outranks(JobId contender, JobId victim) const;
  bool outranks_nobody(JobId contender, QueueId leaf) const;
  std::optional<std::int32_t> shield(JobId contender, QueueId leaf);
  void count_protected(JobId victim);

  Session& s_;
  VictimPool& nominated_;
  VictimPool others_;  // not nominated
  RequeueRecord& record_;
  const RequeueContenders contenders_;
  absl::flat_hash_map<JobId, std::size_t> nominations_;  // in the record
  absl::flat_hash_set<std::string> all_names_;           // of nominators
  absl::flat_hash_set<JobId> counted_;
};

}  // namespace muster::actions
