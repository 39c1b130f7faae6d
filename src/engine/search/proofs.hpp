// Cheap proofs that no set of victims can make room, tried before any search. They save the search and give
// the user a reason, but never change a decision.
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
  std::optional<JobReason> against(Solver& solver, JobId contender, const Candidates& candidates);

  // The candidates, split into those that may not be evicted (by rule, most GPUs first) and the others.
  struct Sifted {
    explicit Sifted(std::uint64_t pool_version = 0) : as_of(pool_version) {}
    std::uint64_t as_of;  // version of the pool
    std::vector<NotEvictableJobs> spared;
    std::vector<JobId> others;

    void add(JobId job, const std::optional<VictimRefusal>& why, const Charge& held);
    void sort();

   private:
    std::string_view last_rule_;  // the last rule added; last_ is its index
    std::size_t last_ = 0;
  };
  const Sifted& sift(const VictimPool& pool, JobId contender, const Candidates& candidates);

 private:
  using Kin = std::pair<QueueId, std::int64_t>;
  // Nullopt if what is known about other contenders does not apply to this one.
  std::optional<Kin> kin_of(JobId contender, const Candidates& candidates) const;
  const Sifted* known(const VictimPool& pool, JobId contender, const Candidates& candidates) const;
  std::optional<JobReason> too_little_to_free(Solver& solver, JobId contender, const Candidates& candidates);
  void free_all(JobId job);
  void free_others(Solver& solver, JobId contender, const Candidates& candidates);

  Session& session_;
  RoomTest with_all_gone_;
  absl::flat_hash_map<Kin, Sifted> by_kin_;
  Sifted of_one_;
};

}  // namespace muster
