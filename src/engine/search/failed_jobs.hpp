// Jobs for which a search failed. A similar job that requests no less is skipped. actions.md 10.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <utility>
#include <vector>

#include "engine/search/demand_index.hpp"

namespace muster {

// Whether the preemptor may evict jobs of its own queue and priority. If so, a failed job with a place might
// be evicted for another job, but not for itself. Its failure then proves nothing about the other job.
enum class LikeVictims : std::uint8_t { kNo, kYes };

// Remembers nothing if signatures are disabled.
class FailedJobs {
 public:
  FailedJobs(Session& session, LikeVictims like_victims) : session_(session), like_victims_(like_victims) {}
  // Returns a similar failed job of the pool such that `job` requests no less: in every resource, for as many
  // pods, with the same constraints and rank. With KAI's comparison: such that `job` is not smaller in KAI's
  // measure.
  JobId covering(QueueId pool, JobId job) const;
  void add(QueueId pool, JobId job);

 private:
  using Key = std::pair<QueueId, std::uint32_t>;

  // ---- Complete comparison: of similar jobs, those that request least; none requests no less than another
  struct Failed {
    JobId job;
    DemandSignature ask;
  };
  JobId covering_ask(QueueId pool, JobId job) const;
  void add_ask(QueueId pool, JobId job);

  // ---- KAI's comparison: of similar jobs, the one that requests least
  using Amounts = std::array<std::int64_t, 4>;  // cpu, memory, gpu, gpu memory
  struct Smallest {
    JobId job;
    std::vector<Amounts> requests;
  };
  JobId covering_by_signature(const Key& key, JobId job) const;
  void add_by_signature(const Key& key, JobId job);
  std::vector<Amounts> pending_requests(JobId job) const;

  Session& session_;
  const LikeVictims like_victims_;
  absl::flat_hash_map<Key, std::vector<Failed>> failed_;
  absl::flat_hash_map<Key, Smallest> smallest_;
};

}  // namespace muster
