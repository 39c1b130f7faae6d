// Cheap proofs that no set of victims can make room, asked before any search. They spare the search and give
// the user a reason; they never change a decision.
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
  // Why no search of the solver among these candidates could succeed, where that is proven.
  std::optional<JobReason> against(Solver& solver, JobId contender, const Candidates& candidates);

  // Candidates that are spared, by rule, the rule that holds most GPUs first; and the others.
  struct Sifted {
    explicit Sifted(std::uint64_t pool_version = 0) : as_of(pool_version) {}
    std::uint64_t as_of;  // version of the pool
    std::vector<SparedJobs> spared;
    std::vector<JobId> others;

    void add(JobId job, const std::optional<VictimRefusal>& why, const Charge& held);
    void sort();

   private:
    std::string_view last_rule_;  // and where it stands
    std::size_t last_ = 0;
  };
  const Sifted& sift(const VictimPool& pool, JobId contender, const Candidates& candidates);

 private:
  using Kin = std::pair<QueueId, std::int64_t>;
  // Nothing: what is known of others does not hold for this contender.
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
