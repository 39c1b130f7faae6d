// Jobs that no search could help: one that is alike and no easier is not tried. actions.md 10.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <utility>
#include <vector>

#include "engine/search/asks.hpp"

namespace muster {

// Are jobs of the contender's queue and priority among those it may take? Then one that holds a place may be
// taken for another, but not for itself, and that it failed says nothing about the other.
enum class LikeVictims : std::uint8_t { kNo, kYes };

// Remembers nothing where signatures are off.
class FailedJobs {
 public:
  FailedJobs(Session& session, LikeVictims like_victims) : session_(session), like_victims_(like_victims) {}
  // The like job of the pool that failed, where this one asks for no less: in every resource, for as many
  // pods, and with the same constraints and rank. KAI's way: one that is not the easier one by its measure.
  JobId covering(QueueId pool, JobId job) const;
  void add(QueueId pool, JobId job);

 private:
  using Key = std::pair<QueueId, std::uint32_t>;

  // ---- our way: of like jobs, those of which none asks for no less than another
  struct Failed {
    JobId job;
    Ask ask;
  };
  JobId covering_ask(QueueId pool, JobId job) const;
  void add_ask(QueueId pool, JobId job);

  // ---- KAI's way: of like jobs, the one that asks for least
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
