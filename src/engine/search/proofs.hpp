// Cheap proofs that no set of victims can make room, tried before any search. A proof saves the search and
// gives the user a reason. It never changes a decision.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <optional>
#include <utility>
#include <vector>

#include "engine/search/solver.hpp"

namespace muster {

class Proofs {
 public:
  explicit Proofs(Session& session) : session_(session) {}
  // Returns the reason if it is proven that no search over these candidates can succeed.
  std::optional<JobReason> why_impossible(Solver& solver, JobId preemptor, const Candidates& candidates);

  // The candidates, split into those that may not be evicted (by rule, most GPUs first) and the others.
  struct Partition {
    explicit Partition(std::uint64_t pool_version = 0) : as_of(pool_version) {}
    std::uint64_t as_of;  // version of the pool
    std::vector<NotEvictableJobs> spared;
    std::vector<JobId> others;

    void add(JobId job, const std::optional<VictimRefusal>& why, const Charge& held);
    void sort();

   private:
    std::string_view last_rule_;  // the last rule added; last_ is its index
    std::size_t last_ = 0;
  };
  const Partition& partition(const VictimPool& pool, JobId preemptor, const Candidates& candidates);

 private:
  using ReuseKey = std::pair<QueueId, std::int64_t>;
  // Nullopt if the results for other preemptors do not apply to this one.
  std::optional<ReuseKey> reuse_key(JobId preemptor, const Candidates& candidates) const;
  const Partition* known(const VictimPool& pool, JobId preemptor, const Candidates& candidates) const;
  std::optional<JobReason> too_little_to_free(Solver& solver, JobId preemptor, const Candidates& candidates);
  void free_all(JobId job);
  void free_others(Solver& solver, JobId preemptor, const Candidates& candidates);

  Session& session_;
  RoomTest with_all_gone_;
  absl::flat_hash_map<ReuseKey, Partition> by_reuse_key_;
  Partition of_one_;
};

}  // namespace muster
